/// Why a planned request cannot be made.
package enum StepFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// A value that the recording took from an earlier answer is not in the answer of this run.
    case notIssued(name: String, by: Int)
    /// A secret that is neither in the capture nor given.
    case secretMissing(String)
    /// A key that does not sign what the recording's key signed.
    case cannotSign(name: String, reason: String)
    /// The request would go to somebody who is not part of the replay.
    case notAllowed(origin: String)

    package var description: String {
        switch self {
        case .notIssued(let name, let exchange):
            "\(name) was not issued this time (exchange \(exchange) of the recording issued it)"
        case .secretMissing(let name): "\(name) is not in the capture and was not given"
        case .cannotSign(let name, let reason): "\(name) cannot be signed: \(reason)"
        case .notAllowed(let origin): "\(origin) is not part of this replay"
        }
    }
}
