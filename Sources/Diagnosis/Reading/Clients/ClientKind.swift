import Captures
import Flows
import JSON
import OAuth

/// Whether a login's client can keep a secret, as far as the capture shows.
enum ClientKind {
    /// It proved who it is.
    case confidential(Evidence)
    /// With what shows it.
    case `public`(Evidence)
    case unknown(String)

    init(of attempt: LoginAttempt, in flow: Flow) {
        let calls = attempt.tokenRequests.filter { $0.isRecorded && !GoTrueRequest.isExchange($0) }
        if let proof = Self.proof(of: attempt, calls, flow) {
            self = .confidential(proof)
        } else if let uri = Self.privateURI(of: attempt) {
            self = .public(Evidence(uri, note: "a scheme of an app on a device"))
        } else if let call = calls.first {
            self = Self.kind(by: call, of: attempt, flow)
        } else if attempt.tokenRequests.contains(where: GoTrueRequest.isExchange) {
            self = .unknown("the client is a server of GoTrue, whose own token request is not recorded")
        } else {
            self = Self.kind(byRedirectURIOf: attempt, flow)
        }
    }

    /// What the client proved with who it is, or whose login tells that it can.
    private static func proof(of attempt: LoginAttempt, _ calls: [TokenRequest], _ flow: Flow) -> Evidence? {
        let credentials = { (authentication: ClientAuthentication) in
            authentication.secret ?? authentication.assertion
        }
        if let sent = calls.lazy.compactMap({ credentials($0.authentication) }).first
            ?? attempt.pushed.flatMap({ credentials($0.authentication) })
        {
            return Evidence(sent)
        }
        // Whose login it is, its back end tells by a signed assertion: there are no others at these.
        guard [.singpass, .myinfo].contains(flow.provider) else { return nil }
        return attempt.parameter("client_id").map { Evidence($0) }
    }

    /// The redirect URI, where its scheme is an app's own.
    private static func privateURI(of attempt: LoginAttempt) -> Parameter? {
        guard let uri = attempt.parameter("redirect_uri"), !(attempt.request?.isRelayed ?? false) else {
            return nil
        }
        let target = RecordedURL(uri.value)
        return !target.isWeb && target.scheme != nil ? uri : nil
    }

    /// An app on a device has no certificate for this machine (RFC 8252, section 7.3); who develops a web app may.
    private static func isLoopback(_ attempt: LoginAttempt) -> Bool {
        attempt.parameter("redirect_uri").map { RecordedURL($0.value).isLoopbackListener } ?? false
    }

    /// By a token request that has neither a secret nor an assertion.
    private static func kind(by request: TokenRequest, of attempt: LoginAttempt, _ flow: Flow) -> ClientKind {
        if let header = flow.capture[request.exchange].request.headers.first("authorization") {
            return .confidential(
                Evidence(
                    place: Place(exchange: request.exchange, part: .requestHeader, name: "Authorization"),
                    value: Masking.shown(header, of: "authorization")
                )
            )
        }
        if flow.surroundings.mayLackCredentials(at: request.exchange),
            mayHaveProvenItself(request, flow) || !isProgram(attempt, flow)
        {
            return .unknown("headers were stripped from the capture, so a client's credentials do not show")
        }
        if isMutualTLS(request, flow) { return .unknown("the client may have shown a certificate") }
        if isAskedForCredentials(request, flow) {
            return .unknown("the provider wants this client's credentials, which it forgot")
        }
        return .public(
            Evidence(
                place: Place(exchange: request.exchange, part: .requestBody, name: "client_secret"),
                value: "missing",
                note: "no secret, no assertion, no Authorization header"
            )
        )
    }

    /// Whether the client was refused for having none, and not let in later.
    private static func isAskedForCredentials(_ request: TokenRequest, _ flow: Flow) -> Bool {
        ClientCall.all(in: flow).contains {
            $0.exchange == request.exchange && !$0.isRepaired && MissingCredentials.areAsked(of: $0, in: flow)
        }
    }

    /// Whether the client's credentials may have been in a header that was taken out: who has none names itself in the body (RFC 6749,
    /// section 3.2.1).
    private static func mayHaveProvenItself(_ request: TokenRequest, _ flow: Flow) -> Bool {
        guard let client = request.authentication.clientID?.value else { return true }
        let registered = flow.registeredClient(client, before: request.exchange)
        return registered.map { $0.authenticationMethods.contains { $0 != "none" } } ?? false
    }

    /// Where no token request of the client's is recorded.
    private static func kind(byRedirectURIOf attempt: LoginAttempt, _ flow: Flow) -> ClientKind {
        guard let uri = attempt.parameter("redirect_uri"), isLoopback(attempt) else {
            return .unknown("no token request shows whether the client has credentials")
        }
        guard isProgram(attempt, flow) else {
            return .unknown("a web app on this machine, whose token request is not recorded")
        }
        return isBegunElsewhere(attempt, flow)
            ? .unknown("a server elsewhere began the login, whose token request is not recorded")
            : .public(Evidence(uri, note: "an app on this machine"))
    }

    /// Whether a server that is not on this machine sent the browser to the provider: one that takes itself to be here by its settings.
    private static func isBegunElsewhere(_ attempt: LoginAttempt, _ flow: Flow) -> Bool {
        guard let request = attempt.request,
            let source = flow.surroundings.redirectedFrom[request.exchange],
            let host = flow.capture[source].request.url.host
        else { return false }
        return !LoopbackHost.isLoopback(host)
    }

    /// Called back at a port of this machine at which nothing else is served.
    private static func isProgram(_ attempt: LoginAttempt, _ flow: Flow) -> Bool {
        guard isLoopback(attempt), let uri = attempt.parameter("redirect_uri") else { return false }
        return !isWebApp(at: RecordedURL(uri.value).origin, flow)
    }

    /// Pages of the app at the origin of the redirect URI, other than the callback itself; on this machine under any of its names.
    ///
    /// What a browser asks every host for, as the icon of a page, is none of them, whatever a listener answers.
    static func isWebApp(at origin: String?, _ flow: Flow) -> Bool {
        let callbacks = Set(flow.surroundings.responses.compactMap(\.callback))
        return flow.capture.indices.contains { index in
            !callbacks.contains(index) && isSame(flow.capture[index].request.url, origin)
                && !Asset.isAsset(flow.capture[index])
                && flow.capture[index].response.map { $0.location != nil || $0.body?.isPage ?? false }
                    ?? false
        }
    }

    private static func isSame(_ url: RecordedURL, _ origin: String?) -> Bool {
        if url.origin == origin { return true }
        guard let other = origin.map({ RecordedURL($0) }), url.scheme == other.scheme, url.port == other.port
        else { return false }
        return [url, other].allSatisfy(\.isOnLoopback)
    }

    /// The alias for clients with certificates, an endpoint that knows no other way, or one that is called so.
    private static func isMutualTLS(_ request: TokenRequest, _ flow: Flow) -> Bool {
        if MutualTLS.isNamed(by: request.endpoint) { return true }
        return flow.surroundings.metadata.contains { document in
            let names = { (address: String?) in
                address.map { RecordedURL($0).isEndpoint(request.endpoint) } ?? false
            }
            if names(document.answer.json?["mtls_endpoint_aliases"]?["token_endpoint"]?.string) {
                return true
            }
            return names(document.endpoint("token_endpoint")) && wantsCertificates(document)
        }
    }

    /// Whether clients without a certificate are not let in but by a signed assertion (RFC 8705, section 2).
    private static func wantsCertificates(_ document: MetadataDocument) -> Bool {
        let listed = document.answer.json?["token_endpoint_auth_methods_supported"]?.array ?? []
        let methods = listed.compactMap(\.string)
        return methods.contains { $0.hasSuffix("tls_client_auth") }
            && !methods.contains { $0 == "none" || $0.hasPrefix("client_secret") }
    }
}
