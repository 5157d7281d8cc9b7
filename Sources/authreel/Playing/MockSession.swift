import Captures
import Flows
import Foundation
import OAuth
import Provider
import Proxy
import Reports
import TLS

/// Whoever answers what a mock is asked.
protocol MockResponder: Sendable {
    func answer(_ request: RecordedRequest) -> RecordedResponse
    /// How the answer to a request is delivered.
    func delivery(of request: RecordedRequest) -> LocalServer.Delivery
}

/// A mock while it runs: what is asked is answered, told of, and written down.
final class MockSession: MockResponder {
    /// Is handed each answer, with what the provider refused in it.
    typealias Observer = @Sendable (ProviderAnswer, _ refusal: String?) -> Void

    private let provider: PlayedProvider
    private let writer: CaptureWriter?
    private let recognizer: MessageRecognizer
    private let detail: TrafficDetail
    private let brokenDelivery: Fault.Delivery?
    private let notices: NoticeSender?
    private let observe: Observer
    private let style: TextStyle

    /// - Parameters:
    ///   - provider: who answers.
    ///   - writer: takes every exchange down; nil keeps none.
    ///   - detail: what is told of on stderr.
    ///   - delivery: a fault of the way back.
    ///   - notices: sends what the provider says of its own accord; nil leaves it unsaid.
    ///   - recognizer: knows the endpoints; nil asks the provider for them.
    ///   - observe: is handed every answer.
    init(
        _ provider: PlayedProvider,
        writer: CaptureWriter?,
        detail: TrafficDetail,
        delivery: Fault.Delivery? = nil,
        notices: NoticeSender? = nil,
        recognizer: MessageRecognizer? = nil,
        observe: @escaping Observer = { _, _ in }
    ) {
        self.provider = provider
        self.writer = writer
        self.detail = detail
        brokenDelivery = delivery
        self.notices = notices
        self.observe = observe
        style = Terminal.standardError.style
        self.recognizer = recognizer ?? Self.recognizer(of: provider)
    }

    /// Answers a request, writes the exchange down and tells of it.
    func answer(_ request: RecordedRequest) -> RecordedResponse {
        let began = SystemClock.now
        let answer = provider.answer(request, began)
        let exchange = Exchange(
            startedAt: began,
            duration: SystemClock.now - began,
            request: request,
            response: answer.response
        )
        keep(exchange)
        let refusal = Self.words(Self.refusal(of: exchange), answer.explanation)
        observe(answer, refusal)
        tell(exchange, refusal)
        notices?.send(answer.notices) { exchange in
            self.keep(exchange)
            let refusal = Self.words(Self.refusal(of: exchange), exchange.failure)
            self.tell(exchange, refusal, isNotice: true)
        }
        return answer.response
    }

    private func keep(_ exchange: Exchange) {
        do {
            try writer?.append([exchange])
        } catch {
            StandardError.warn("\(error): the exchange is not in the capture")
        }
    }

    func delivery(of request: RecordedRequest) -> LocalServer.Delivery {
        guard let brokenDelivery, Fault.Delivery.concerns(request) else { return .whole }
        switch brokenDelivery {
        case .late(let pause): return .late(pause)
        case .cutShort: return .cutShort
        case .never: return .never
        }
    }

    // MARK: - Telling

    /// A line for each protocol message, and for what is said to clients unasked; in verbose mode for each exchange.
    private func tell(_ exchange: Exchange, _ refusal: String?, isNotice: Bool = false) {
        guard detail != .outcomes else { return }
        let kind = recognizer.message(of: exchange, at: 0).map { StepKind(of: $0) }
        guard kind != nil || isNotice || detail == .exchanges else { return }
        let name = Self.name(of: exchange, kind, isNotice: isNotice)
        let time = style.dim(String(exchange.startedAt.rfc3339.dropFirst(11).prefix(8)))
        // Columns, as far as names are short.
        let gap = String(repeating: " ", count: max(2, 31 - name.utf8.count))
        var line = "\(time)  \(style.bold(name))\(gap)"
        let outcome = Self.outcome(of: exchange, isNotice: isNotice)
        line += outcome.isBad ? style.red(outcome.status) : outcome.status
        line += "  " + outcome.address
        if let refusal {
            line += "  " + style.red(refusal.printable.shortened(to: 200))
        }
        StandardError.line(line)
    }

    /// What a line is called: by the message, which a client's notification (OpenID Connect CIBA, section 10) is not known as.
    static func name(of exchange: Exchange, _ kind: StepKind?, isNotice: Bool) -> String {
        kind?.rawValue ?? (isNotice ? "client_notification" : exchange.request.method.lowercased())
    }

    /// The status of the answer, a dash where nobody answered, and the path that was asked for, which of what the provider says of its
    /// own accord is somebody else's.
    static func outcome(
        of exchange: Exchange,
        isNotice: Bool = false
    ) -> (status: String, address: String, isBad: Bool) {
        let url = exchange.request.url
        let address = isNotice ? url.shown : url.path
        let status = exchange.response?.status
        return (
            status.map(String.init) ?? "–  ", address.printable.shortened(to: 70),
            status.map { $0 >= 400 } ?? true
        )
    }

    /// What an answer says, and what it does not say.
    static func words(_ said: String?, _ explanation: String?) -> String? {
        guard let said else { return explanation }
        return explanation.map { "\(said) (\($0))" } ?? said
    }

    /// What an error answer says; nil where it is none.
    private static func refusal(of exchange: Exchange) -> String? {
        if let error = Answer(of: exchange, at: 0).error { return error.text }
        guard let location = exchange.response?.location.map({ RecordedURL($0) }) else { return nil }
        let items = location.queryAndFragmentItems
        return ErrorResponse(Parameters(items, of: 0, in: .responseLocation))?.text
    }

    /// By the metadata that it serves itself.
    static func recognizer(of provider: PlayedProvider) -> MessageRecognizer {
        var endpoints = Endpoints()
        for issuer in provider.issuers {
            let request = RecordedRequest(method: "GET", url: RecordedURL(issuer.discovery))
            let response = provider.answer(request, SystemClock.now).response
            let exchange = Exchange(startedAt: SystemClock.now, request: request, response: response)
            if let json = Answer(of: exchange, at: 0).json { endpoints.add(json) }
        }
        return MessageRecognizer(endpoints: endpoints)
    }
}
