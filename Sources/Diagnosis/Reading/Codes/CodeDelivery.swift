import Captures
import Flows
import OAuth

/// Who got a code, as far as the capture shows.
struct CodeDelivery {
    enum Receiver: Equatable {
        /// An app on the device: by a scheme of its own, by an https address that it claims, or by a server that sends it on to the
        /// app's scheme and does nothing else with it.
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
        guard let code = response.parameter("code"), !code.value.isEmpty, response.error == nil
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
        // Of a server that took it, and told its app by the way, the login went on.
        if flow.ending == .incomplete, RelayedAnswer.target(of: response, in: flow.capture) != nil {
            return .app
        }
        return HandedOnCode.isForPage(response, of: flow.messages, in: flow.capture) ? .page : .server
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
            flow.capture[index].request.isByNativeApp
        }
    }

    /// Whether requests to the host are recorded at all.
    private static func isRecorded(_ target: RecordedURL, _ flow: Flow) -> Bool {
        target.host.map(flow.surroundings.openedHosts.contains) ?? false
    }

    // MARK: - The way from there

    /// Whether a later request carries the code; nil where that cannot be known (``HandedOnCode``).
    func isPassedOn(in flow: Flow) -> Bool? {
        let sites = Set(flow.providerHosts.map(Site.of))
        let apps = receiver == .app ? appsSeen(in: flow) : []
        return HandedOnCode.isCarried(response, in: flow.surroundings) { tunnel in
            guard let host = tunnel.request.url.host else { return false }
            // What went through it may have been the exchange itself.
            if sites.contains(Site.of(host)) { return true }
            return receiver == .app && isOfTheApp(tunnel, among: apps)
        }
    }

    /// The apps that talk to the provider in this login, by the names that they send.
    private func appsSeen(in flow: Flow) -> Set<String> {
        Set(
            flow.exchanges.compactMap { index in
                let request = flow.capture[index].request
                return request.isByNativeApp ? Self.product(request) : nil
            }
        )
    }

    /// See ``isOfTheApp(_:among:)``, with the apps of this login.
    func isOfTheApp(_ tunnel: Exchange, in flow: Flow) -> Bool {
        isOfTheApp(tunnel, among: appsSeen(in: flow))
    }

    /// Whether the app itself may have made a tunnel, to its own server say, whose certificate it pins.
    ///
    /// Of an app that is not seen otherwise any name may be the one, but those of the system's services.
    private func isOfTheApp(_ tunnel: Exchange, among apps: Set<String>) -> Bool {
        guard !RecorderRefusal.isOfSystem(tunnel), !Telemetry.isOne(tunnel.request.url),
            tunnel.request.isByNativeApp
        else { return false }
        return apps.isEmpty || apps.contains(Self.product(tunnel.request))
    }

    /// What stands before the version in the name that a sender gives itself.
    private static func product(_ request: RecordedRequest) -> String {
        String((request.userAgent ?? "").prefix { $0 != "/" })
    }
}
