import Captures
import OAuth
import Provider
import Proxy
import Synchronization

/// A mock whose provider begins anew for each login of a suite, at the same address and with the same keys.
final class AttackSession: MockResponder {
    private struct State {
        var provider: PlayedProvider
        var session: MockSession
        /// Counts the logins: what is answered late belongs to one that is over.
        var login = 0
        var sighting = ProviderSighting()
        var refusals: [String] = []
    }

    private let writer: CaptureWriter?
    private let detail: TrafficDetail
    private let recognizer: MessageRecognizer
    private let notices: NoticeSender
    private let state: Mutex<State>

    init(
        _ provider: PlayedProvider,
        writer: CaptureWriter?,
        detail: TrafficDetail,
        notices: NoticeSender
    ) {
        self.notices = notices
        self.writer = writer
        self.detail = detail
        recognizer = MockSession.recognizer(of: provider)
        let session = MockSession(
            provider,
            writer: writer,
            detail: detail,
            notices: notices,
            recognizer: recognizer
        )
        state = Mutex(State(provider: provider, session: session))
    }

    func answer(_ request: RecordedRequest) -> RecordedResponse {
        state.withLock { $0.session }.answer(request)
    }

    func delivery(of request: RecordedRequest) -> LocalServer.Delivery {
        state.withLock { $0.session }.delivery(of: request)
    }

    /// Begins a login.
    ///
    /// `probes`: faults that are only asked whether they would have found an occasion.
    func begin(breaking fault: Fault?, probing probes: [Fault]) {
        state.withLock { state in
            state.login += 1
            state.sighting = ProviderSighting()
            state.refusals = []
            let login = state.login
            state.provider = state.provider.begunAnew(
                breaking: fault.map { [$0] } ?? [],
                probing: probes
            )
            state.session = MockSession(
                state.provider,
                writer: writer,
                detail: detail,
                delivery: fault?.delivery,
                notices: notices,
                recognizer: recognizer
            ) { [weak self] answer, refusal in self?.note(answer, refusal, of: login) }
        }
    }

    /// Ends the login that was begun last.
    ///
    /// - Returns: what was answered in it, and what was refused, as far as it is worth telling.
    func end() -> (sighting: ProviderSighting, refusals: [String]) {
        state.withLock { state in
            state.login += 1
            return (state.sighting, state.refusals)
        }
    }

    private func note(_ answer: ProviderAnswer, _ refusal: String?, of login: Int) {
        state.withLock { state in
            guard state.login == login else { return }
            state.sighting.note(answer)
            if let refusal, state.refusals.count < 5 { state.refusals.append(refusal) }
        }
    }
}
