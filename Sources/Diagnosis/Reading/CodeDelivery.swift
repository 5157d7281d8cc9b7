import Captures
import Flows
import OAuth

/// Who got a code, as far as the capture shows.
struct CodeDelivery {
    enum Receiver: Equatable {
        /// An app on the device: by a scheme of its own, or by an https address that it claims.
        case app
        /// A page that speaks to the provider itself.
        case page
        /// A web server, which took it.
        case server
        /// A web server that refused it, or that nobody could reach.
        case nobody
        /// The capture does not say.
        case unknown
    }

    var response: AuthorizationResponse
    var code: Parameter
    var receiver: Receiver

    init?(_ response: AuthorizationResponse, in flow: Flow) {
        guard let code = response.parameters.parameter("code"), !code.value.isEmpty, response.error == nil
        else { return nil }
        self.response = response
        self.code = code
        receiver = Self.receiver(of: response, in: flow)
    }

    /// The last exchange that shows it on its way.
    var exchange: Int { response.callback ?? response.exchange }

    // MARK: - The receiver

    private static func receiver(of response: AuthorizationResponse, in flow: Flow) -> Receiver {
        guard response.target.isWeb else { return response.target.scheme == nil ? .unknown : .app }
        guard let callback = response.callback else {
            return isClaimed(response.target, in: flow) && isRecorded(response.target, flow) ? .app : .unknown
        }
        let exchange = flow.capture[callback]
        guard let answer = exchange.response else {
            // Who hung up may have taken it all the same.
            let failure = exchange.failure.flatMap { TransportFailure($0) }
            if failure != nil, failure != .unanswered { return .nobody }
            return isClaimed(response.target, in: flow) ? .app : .unknown
        }
        guard answer.status < 400 else { return .nobody }
        return isPage(answer) && isCaller(response.target, flow) ? .page : .server
    }

    /// Whether an app on the device takes requests to this address: it says so, or it is there and talks to one of the two hosts.
    private static func isClaimed(_ target: RecordedURL, in flow: Flow) -> Bool {
        guard target.scheme?.lowercased() == "https" else { return false }
        if flow.authorizationRequests.contains(where: {
            $0.parameters["redirect_uri_https_type"] == "app_claimed_https"
        }) {
            return true
        }
        return flow.exchanges.contains { index in
            PublicAgent(of: flow.capture[index].request, at: index)?.kind == .native
        }
    }

    /// Whether requests to the host are recorded at all.
    private static func isRecorded(_ target: RecordedURL, _ flow: Flow) -> Bool {
        target.host.map(flow.surroundings.openedHosts.contains) ?? false
    }

    private static func isPage(_ answer: RecordedResponse) -> Bool {
        let type = answer.body?.essence ?? answer.headers.first("content-type")?.lowercased() ?? ""
        return (200..<300).contains(answer.status) && type.hasPrefix("text/html") && answer.setCookies.isEmpty
    }

    /// Whether a page of this origin asked the provider for metadata, keys or tokens.
    private static func isCaller(_ target: RecordedURL, _ flow: Flow) -> Bool {
        flow.messages.contains { message in
            switch message {
            case .discovery, .keySet, .token:
                flow.capture[message.exchange].request.headers.first("origin").map {
                    RecordedURL($0).origin == target.origin
                } ?? false
            default: false
            }
        }
    }
}

extension CodeDelivery {
    /// Whether a later request carries the code: to a token endpoint, or to whoever is to exchange it.
    ///
    /// Nil where that cannot be known: bodies that were not saved, tunnels to the provider that were not opened, or more requests
    /// than anybody looks through.
    func isPassedOn(in flow: Flow) -> Bool? {
        let later = flow.surroundings.order[(flow.surroundings.position[exchange] + 1)...]
        var spellings = [code.value, code.rawValue, PercentEncoding.encode(code.value)]
        // In JSON a slash may be escaped.
        if code.value.utf8.contains(0x2f) { spellings.append(Self.escapingSlashes(code.value)) }
        let texts = Set(spellings).map { Array($0.utf8) }
        var isUnknown = later.count > Self.limit
        let sites = Set(flow.providerHosts.map(Site.of))
        for index in later.prefix(Self.limit) {
            let request = flow.capture[index].request
            guard request.url.normalizedWithoutQuery != response.target.normalizedWithoutQuery else {
                continue
            }
            // What went through a tunnel that was not opened may have been the exchange itself.
            if request.method == "CONNECT", let host = request.url.host, sites.contains(Site.of(host)) {
                isUnknown = true
            }
            if let query = request.url.query, texts.contains(where: { query.utf8.firstRange(of: $0) != nil })
            {
                return true
            }
            switch request.body?.content {
            case .parameters(let fields):
                if fields.contains(where: { $0.value == code.value }) { return true }
            case .missing: isUnknown = true
            case nil: if (request.headers.first("content-length") ?? "0") != "0" { isUnknown = true }
            case .bytes, .spooled, .deferred:
                let bytes = request.body?.bytes ?? []
                if texts.contains(where: { bytes.firstRange(of: $0) != nil }) { return true }
            }
        }
        return isUnknown ? nil : false
    }

    private static let limit = 4000

    private static func escapingSlashes(_ text: String) -> String {
        String(decoding: text.utf8.flatMap { $0 == 0x2f ? [0x5c, 0x2f] : [$0] }, as: UTF8.self)
    }
}

/// Recorders that see what a browser sends, and nothing of apps and servers beside it.
enum BrowserRecorder {
    static func wrote(_ capture: Capture) -> Bool {
        let name = capture.creator.name.lowercased()
        return ["webinspector", "web inspector", "firefox", "safari", "playwright", "puppeteer"]
            .contains(where: name.containsBytes)
    }
}
