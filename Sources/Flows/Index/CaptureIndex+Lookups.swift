import Captures
import OAuth

extension CaptureIndex {
    /// Where redirects led from an exchange, in the capture.
    package func landings(of exchange: Int) -> [Int] {
        derived.value { Landings(self) }.byRedirect[exchange] ?? []
    }

    /// Whether a redirect that keeps method and form led a request of a client's own to where it was taken.
    package func isTakenBehindRedirect(_ exchange: Int) -> Bool {
        landings(of: exchange).contains { landing in
            switch messages[landing] {
            case .pushedRequest(let call), .deviceAuthorization(let call),
                .backchannelAuthentication(let call):
                call.answer.isSuccess
            default: false
            }
        }
    }

    /// See ``openedHosts``.
    static func openedHosts(of capture: Capture) -> Set<String> {
        Set(
            capture.indices.compactMap { index in
                // A CONNECT that was answered opens a tunnel, it shows nothing of what is in it.
                !capture[index].isAnswered || capture[index].request.method == "CONNECT"
                    ? nil : capture[index].request.url.host
            }
        )
    }
}

private struct Landings: Sendable {
    let byRedirect: [Int: [Int]]

    init(_ index: CaptureIndex) {
        byRedirect = Dictionary(grouping: index.inOrder(index.redirectedFrom.keys)) {
            index.redirectedFrom[$0] ?? $0
        }
    }
}
