import Captures
import Flows
import JOSE
import OAuth

/// What an app on a device hands to its own server, its code or its tokens, and what becomes of it there.
enum AppHandover {
    /// Requests of an app that hand the code of a login to its own server, in order of time.
    static func relays(of login: Login, in flow: Flow) -> [Int] {
        flow.derived.value { Relays(of: flow) }.byLogin[login.request.exchange] ?? []
    }

    /// Found once for all that ask.
    private struct Relays: Sendable {
        var byLogin: [Int: [Int]] = [:]

        init(of flow: Flow) {
            for login in flow.logins {
                byLogin[login.request.exchange] = AppHandover.found(login, in: flow)
            }
        }
    }

    private static func found(_ login: Login, in flow: Flow) -> [Int] {
        guard let response = login.response, let code = response.parameter("code"), code.value.utf8.count >= 8
        else { return [] }
        // Made where somebody may have handed it on, which in most logins nobody has.
        lazy var carried = CarriedCode(code)
        let isHanded = isHandedToApp(response, in: flow)
        let start = flow.capture[response.exchange].startedAt
        let position = flow.surroundings.position[response.exchange]
        let candidates = flow.surroundings.derived.value { Candidates(of: flow.surroundings) }.all
        return candidates[candidates.partitionPoint { $0.position > position }...]
            .prefix { $0.position <= position + mostExchanges }
            .prefix { flow.capture[$0.exchange].startedAt - start <= .seconds(300) }
            .filter { candidate in
                guard candidate.isNative || isHanded, candidate.exchange != response.callback,
                    candidate.host.map({ !flow.providerHosts.contains($0) }) ?? false
                else { return false }
                return carries(code.value, carried, flow.capture[candidate.exchange].request)
            }.map(\.exchange)
    }

    /// Behind an answer.
    private static let mostExchanges = 1000

    /// Requests by which an app may hand a code on, whichever: read once for all logins of a capture.
    private struct Candidates: Sendable {
        struct Candidate: Sendable {
            var exchange: Int
            var position: Int
            var host: String?
            var isNative: Bool
        }

        /// In the order of time.
        var all: [Candidate] = []

        init(of index: CaptureIndex) {
            for (position, exchange) in index.order.enumerated() where index.messages[exchange] == nil {
                let request = index.capture[exchange].request
                guard request.method != "OPTIONS", request.url.query != nil || request.body != nil else {
                    continue
                }
                let sender = PublicAgent(of: request, at: exchange)?.kind
                guard sender == .native || !AppHandover.isOfWebsite(request, sender),
                    !Telemetry.isOne(request)
                else { continue }
                all.append(
                    Candidate(
                        exchange: exchange,
                        position: position,
                        host: request.url.host,
                        isNative: sender == .native
                    )
                )
            }
        }
    }

    /// Whether a request has a code, of which `carried` has the spellings, in its query or its body.
    static func carries(_ code: String, _ carried: CarriedCode, _ request: RecordedRequest) -> Bool {
        if let query = request.url.query, carried.isIn(query) { return true }
        guard let body = request.body, (body.size ?? 0) < largest else { return false }
        if let bytes = body.bytes, !bytes.isEmpty { return carried.isWritten(in: bytes) }
        return FormBody.items(of: body)?.items.contains { $0.value == code } ?? false
    }

    /// Neither the provider's nor a service's that apps report to.
    private static func isToOwnServer(_ request: RecordedRequest, _ flow: Flow) -> Bool {
        request.url.host.map { !flow.providerHosts.contains($0) } ?? false && !Telemetry.isOne(request)
    }

    /// In bytes of a body.
    private static let largest = 1 << 16

    /// Whether a page of the web sent it, which no app's answer gets to.
    private static func isOfWebsite(_ request: RecordedRequest, _ sender: PublicAgent.Kind?) -> Bool {
        // Capacitor shows its pages at localhost on Android.
        sender == .page
            && request.headers.first("origin").map {
                RecordedURL($0).isWeb && !RecordedURL($0).isOnLoopback
            } ?? false
    }

    /// Whether an answer goes to an app, which alone then knows the code: at a scheme of its own, or sent on to one by a page of
    /// its server.
    private static func isHandedToApp(_ response: AuthorizationResponse, in flow: Flow) -> Bool {
        guard response.target.isWeb else { return true }
        guard let callback = response.callback, let location = flow.capture[callback].response?.location
        else { return false }
        return !flow.capture[callback].request.url.resolving(location).isWeb
    }

    /// How the app's back end answered to a code that it was handed, and whose exchange was not recorded; nil where it was
    /// not, or did not answer.
    static func relayedOutcome(of flow: Flow) -> Outcome? {
        guard flow.tokenRequests.isEmpty, let login = flow.logins.last else { return nil }
        let answered = relays(of: login, in: flow).filter { flow.capture[$0].response != nil }
        guard !answered.isEmpty else { return nil }
        return refusedRelay(of: login, in: flow) == nil ? .success : .failure
    }

    /// The last request by which the app handed the code to its back end, where that refused it each time, or never answered.
    private static func refusedRelay(of login: Login, in flow: Flow) -> Int? {
        refused(relays(of: login, in: flow), flow)
    }

    /// The same of a token that the app got: by a request to its own server that is to sign its user in there.
    private static func refusedHandover(of login: Login, in flow: Flow) -> Int? {
        guard let response = login.response, response.callback == nil || isHandedToApp(response, in: flow),
            let granted = login.tokenRequests.last(where: \.answer.isSuccess),
            flow.capture[granted.exchange].request.isByNativeApp
        else { return nil }
        let tokens = ["id_token", "access_token"].map { name in
            granted.answer.parameters[name].flatMap {
                $0.utf8.count >= 20 && !Placeholder.isOne($0) ? $0 : nil
            }
        }
        let handovers = flow.exchanges(after: granted.exchange, within: .seconds(60)).filter { index in
            let request = flow.capture[index].request
            guard ["POST", "PUT"].contains(request.method),
                let body = request.body, (body.size ?? 0) < largest, isToOwnServer(request, flow),
                request.isByNativeApp, let bytes = body.bytes
            else { return false }
            let carried = tokens.map { $0.map { ScriptEscape.isWritten($0, in: bytes) } ?? false }
            guard !isForSignIn(request.url) else { return carried.contains(true) }
            // An ID token says who somebody is, wherever it is brought.
            return carried[0] && flow.capture[index].response?.status == 401 && !isForElse(request.url)
        }
        return refused(handovers, flow)
    }

    /// Whether an address is one that somebody is signed in at, by a part of its path.
    private static func isForSignIn(_ url: RecordedURL) -> Bool {
        let path = url.path.lowercased()
        // Amazon's names what it is asked for in a header alone.
        if url.host?.hasPrefix("cognito-identity.") ?? false { return true }
        return signIns.contains(where: path.containsBytes) && !isForElse(url)
    }

    private static func isForElse(_ url: RecordedURL) -> Bool {
        let path = url.path.lowercased()
        return others.contains(where: path.containsBytes)
    }

    private static let signIns = [
        "login", "signin", "social", "sign-in", "sign_in", "auth", "session", "token", "credential",
        "identity",
        "getid",
    ]
    private static let others = ["logout", "signout", "sign-out", "revoke", "push", "device", "notification"]

    /// That of the flow's last login.
    static func refusal(of flow: Flow) -> Int? {
        flow.logins.last.flatMap { refusal(of: $0, in: flow) }
    }

    /// The request by which an app handed its code, or where it exchanged that itself a token, to its back end in vain.
    static func refusal(of login: Login, in flow: Flow) -> Int? {
        if let refusal = IdentityPlatformSignIn.refusal(of: login, in: flow) { return refusal }
        if login.tokenRequests.isEmpty { return refusedRelay(of: login, in: flow) }
        let refusal =
            isExchangedByServer(login, in: flow)
            ? refusedRelay(of: login, in: flow) : refusedHandover(of: login, in: flow)
        // Where the same server answers well afterwards, it was another errand, or one more step.
        return refusal.flatMap { flow.surroundings.isServedAfter($0) ? nil : $0 }
    }

    /// Whether the app's server got tokens for the code while it was at work on what the app had handed to it.
    static func isExchangedByServer(_ login: Login, in flow: Flow) -> Bool {
        let relays = relays(of: login, in: flow)
        return login.tokenRequests.contains { request in
            request.answer.isSuccess
                && relays.contains { flow.surroundings.isAtWork($0, during: request.exchange) }
        }
    }

    private static func refused(_ requests: [Int], _ flow: Flow) -> Int? {
        let answered = requests.filter { flow.capture[$0].response != nil }
        guard !answered.isEmpty else {
            return requests.last { flow.capture[$0].failure.flatMap { TransportFailure($0) } != nil }
        }
        guard answered.allSatisfy({ StatedFailure.isRefusal(flow.capture[$0]) }) else { return nil }
        return answered.last
    }
}
