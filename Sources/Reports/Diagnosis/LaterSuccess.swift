import Captures
import Diagnosis
import Flows
import OAuth
import Replay

/// The login that went well after one that failed, where its user tried again: of the same client, or to the same redirect URI with
/// another client's id.
package struct LaterSuccess: Sendable, Equatable {
    /// Id of its flow.
    package var flow: String
    /// Index into `log.entries` of what ended it well: the answer with its tokens, else the callback.
    package var exchange: Int
    /// What the failed login did otherwise, the first of it in the course of the login, as `diff` words it; nil where the two were
    /// not compared, or nothing is different.
    package var difference: String?
    /// Whether the two give different client ids.
    package var isOfOtherClient: Bool

    /// Who tries once more does so in one of so many flows behind it.
    static let farthest = 8

    /// Whether one is looked for: the login failed, and is no part of another one.
    static func isSought(after item: Report.DiagnosedFlow) -> Bool {
        item.diagnosis.outcome == .failure && item.flow.outer == nil
            && !item.flow.authorizationRequests.isEmpty
    }

    /// Nil where `later` is no other try of the same login.
    ///
    /// `isCompared`: whether ``difference`` is to be found.
    init?(of later: Report.DiagnosedFlow, after failed: Report.DiagnosedFlow, isCompared: Bool) {
        guard later.diagnosis.outcome == .success, Self.isAnotherTry(later.flow, of: failed.flow) else {
            return nil
        }
        let granted = later.flow.tokenRequests.last { $0.answer.isSuccess && !$0.isRefresh }?.exchange
        let answer = later.flow.authorizationResponses.last { $0.error == nil }
        guard let end = granted ?? answer.map({ $0.callback ?? $0.exchange }) else { return nil }
        let clients = [
            later.flow.authorizationRequests.first?.clientID,
            failed.flow.authorizationRequests.last?.clientID,
        ]
        isOfOtherClient = clients.compactMap(\.self).eachOnce().count > 1
        flow = later.flow.id
        exchange = end
        difference =
            isCompared
            ? FlowDifference(later.flow, failed.flow).first.map { first in
                let place = first.step.map { $0.kind.rawValue } ?? "the flow"
                // Beside their ids the first of the two would be taken for flow-1, which is mostly the other.
                return "\(place): \(DifferenceReport.words(for: first.difference))"
                    .replacing("in the first flow", with: "in \(later.flow.id)")
                    .shortened(to: FlowHead.longest)
            } : nil
    }

    /// Longer after it, it is another visit.
    private static let longestPause = Duration.seconds(15 * 60)

    private static func isAnotherTry(_ later: Flow, of failed: Flow) -> Bool {
        guard later.outer == nil, later.grant == failed.grant,
            let request = later.authorizationRequests.first, !request.isSilent,
            let before = failed.authorizationRequests.last,
            request.clientID.map({ $0 == before.clientID }) ?? false
                || request.redirectURI.map({ $0 == before.redirectURI }) ?? false,
            !failed.surroundings.browsers.areOnTwoDevices(before.exchange, request.exchange)
        else { return false }
        return later.began >= failed.capture[before.exchange].startedAt
            && later.began - failed.ended <= longestPause
    }

    /// What there is, without where it is.
    var words: String {
        isOfOtherClient
            ? "A later login to this redirect URI, by another client_id, went well"
            : "A later login of this client went well"
    }

    /// As reports for people have it.
    var sentences: String {
        "\(words): \(flow), at [\(exchange)]."
            + (difference.map { " What this one did otherwise first: \($0)." } ?? "")
    }

    /// What compares the two.
    ///
    /// `name`: of the capture as the user wrote it; one that came by standard input is gone, and has another in its file.
    func command(for failed: String, in name: String) -> String {
        let capture = name == "-" ? "CAPTURE" : ShellWord.quoted(name)
        return "authreel diff \(capture)#\(flow) \(capture)#\(failed)"
    }
}
