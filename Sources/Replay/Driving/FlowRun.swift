package import Captures
import Flows
import OAuth

/// What came of a replay: the exchanges of the new run, and which of them stands for which of the recording.
package struct FlowRun: Sendable {
    /// What became of a planned step.
    package enum Result: Sendable, Hashable {
        /// Sent; the index into ``exchanges``.
        case sent(Int)
        /// Not sent: the provider went on without it, by a redirect or an earlier answer.
        case notNeeded
        /// Could not be sent.
        case failed(StepFailure)
        /// Not reached, since an earlier step ended the run.
        case notReached
    }

    package var plan: ReplayPlan
    /// By the order of the plan's steps.
    package var results: [Result]
    /// As the recorder would have written them, in the order in which they were sent.
    package var exchanges: [Exchange]
    /// Why the run ended before the plan did; nil where it did not.
    package var stop: Stop?
    /// For a flow that goes on where this one ended.
    package var state: RunState

    /// Why a run ended early.
    package enum Stop: Sendable, Hashable, CustomStringConvertible {
        /// A redirect led to an origin that is not part of the replay.
        case leadsElsewhere(url: String)
        /// The provider shows a page on which nothing of the recording can be filled in.
        case unknownPage(url: String, title: String)
        /// The provider asks once more for a password or code that was entered in this run, and was not taken.
        case secretNotTaken(url: String, title: String)
        /// The script of the provider's page is answered without the address that it was to go to.
        case scriptStopped(url: String, status: Int)
        /// A real browser shows a page that does not move on.
        case stuckPage(url: String, title: String, fields: [String])
        /// The person closed the window before the login was done.
        case windowClosed
        /// The browser could not do its part.
        case browserFailed(reason: String)
        /// More redirects than any login has.
        case tooManyRedirects(url: String)
        case cancelled

        package var description: String {
            switch self {
            case .leadsElsewhere(let url): "the provider leads to \(url), which is not part of this replay"
            case .unknownPage(let url, let title):
                "the page \(url)\(title.isEmpty ? "" : " (\(title))") has no form that the recording knows"
            case .secretNotTaken(let url, let title):
                "what was entered was not taken: the page \(url)\(title.isEmpty ? "" : " (\(title))") asks for it once more"
            case .scriptStopped(let url, let status):
                "the page's script was answered \(status) by \(url), with no address to go on to"
            case .stuckPage(let url, let title, let fields):
                "the page \(url)\(title.isEmpty ? "" : " (\(title))") does not move on; "
                    + (fields.isEmpty
                        ? "it has nothing to fill in" : "it has \(fields.joined(separator: ", "))")
            case .windowClosed: "the window was closed before the login was done"
            case .browserFailed(let reason): "the browser could not go on: \(reason)"
            case .tooManyRedirects(let url): "more than 20 redirects, the last to \(url)"
            case .cancelled: "interrupted"
            }
        }
    }

    /// Whether it ended at a page that asks for what the recording does not have, or that was not taken.
    var isBeforeASignInPage: Bool {
        switch stop {
        case .unknownPage, .secretNotTaken: true
        default: false
        }
    }

    /// Whether it ended at a page of the provider's that it could not fill in, and that a browser or a person might.
    ///
    /// A page that refuses is none of these.
    package var isHeldUpByAPage: Bool {
        if case .scriptStopped(_, let status) = stop { return (200..<300).contains(status) }
        guard let answer = exchanges.last?.response, (200..<300).contains(answer.status),
            answer.body?.isPage ?? false
        else { return false }
        if case .unknownPage = stop { return true }
        return zip(plan.steps, results).contains { step, result in
            guard case .failed(.notIssued) = result else { return false }
            return step.isBrowser && step.kind == .userInteraction
        }
    }

    /// Whether every step of the plan was sent or not needed.
    package var isComplete: Bool {
        stop == nil
            && results.allSatisfy { result in
                switch result {
                case .sent, .notNeeded: true
                case .failed, .notReached: false
                }
            }
    }

    /// The recorded logouts that were asked for again and answered with the same status, where no metadata were read.
    ///
    /// Without parameters a logout is one by the metadata alone, which the app's own server has read where that is driven itself.
    package var repeatedLogouts: Set<Int> {
        guard !exchanges.contains(where: { MessageRecognizer.isMetadata($0.request.url) }) else { return [] }
        return Set(
            zip(plan.steps, results).compactMap { step, result in
                guard step.kind == .endSessionRequest, case .sent(let index) = result,
                    let status = exchanges[index].response?.status,
                    status == plan.flow.capture[step.exchange].response?.status
                else { return nil }
                return step.exchange
            }
        )
    }

    /// Why nothing at all was answered, where the recorded provider had answered; nil where something was.
    package var unreachable: String? {
        guard exchanges.allSatisfy({ $0.response == nil }), let first = plan.steps.first,
            plan.flow.capture[first.exchange].response != nil
        else { return nil }
        if let tried = exchanges.first { return tried.failure ?? "no answer" }
        // What a browser cannot connect to it sends nothing.
        guard case .browserFailed(let reason) = stop, TransportFailure(reason) != nil else { return nil }
        return reason
    }

    /// Whether it is the app that is asked first, where that is driven, too; at whatever address it is now.
    package var beginsAtTheApp: Bool {
        guard let first = plan.steps.first,
            let recorded = plan.flow.capture[first.exchange].request.url.origin
        else { return false }
        let origins = ProviderOrigins(of: plan.flow)
        return origins.app.contains(recorded) && !origins.provider.contains(recorded)
    }
}
