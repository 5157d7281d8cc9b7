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
        let proof = calls.lazy.compactMap { request -> Evidence? in
            let authentication = request.authentication
            guard let parameter = authentication.secret ?? authentication.assertion else { return nil }
            return Evidence(parameter)
        }.first
        if let proof {
            self = .confidential(proof)
            return
        }
        if let pushed = attempt.pushed,
            let parameter = pushed.authentication.secret ?? pushed.authentication.assertion
        {
            self = .confidential(Evidence(parameter))
            return
        }
        // Whose login it is, its back end tells by a signed assertion: there are no others at these.
        if [.singpass, .myinfo].contains(flow.provider), let client = attempt.parameter("client_id") {
            self = .confidential(Evidence(client))
            return
        }
        let uri = attempt.parameter("redirect_uri")
        let target = uri.map { RecordedURL($0.value) }
        let isPrivate = target.map { !$0.isWeb && $0.scheme != nil } ?? false
        if let uri, isPrivate, !(attempt.request?.isRelayed ?? false) {
            self = .public(Evidence(uri, note: "a scheme of an app on a device"))
            return
        }
        // An app on a device has no certificate for this machine (RFC 8252, section 7.3); who develops a web app may.
        let isLoopback =
            target?.scheme?.lowercased() == "http" && target?.host.map(LoopbackHost.isLoopback) ?? false
        if let request = calls.first {
            let header = flow.capture[request.exchange].request.headers.first("authorization")
            if let header {
                self = .confidential(
                    Evidence(
                        place: Place(exchange: request.exchange, part: .requestHeader, name: "Authorization"),
                        value: Masking.shown(header, of: "authorization")
                    )
                )
            } else if flow.surroundings.isSanitized, !isLoopback {
                self = .unknown(
                    "headers were stripped from the capture, so a client's credentials do not show"
                )
            } else if Self.isMutualTLS(request, flow) {
                self = .unknown("the client may have shown a certificate")
            } else if case .violated(let violation) = flow.verdict(of: ClientAuthMissing()),
                violation.faultyExchange == request.exchange, violation.severity == .error
            {
                self = .unknown("the provider wants this client's credentials, which it forgot")
            } else {
                self = .public(
                    Evidence(
                        place: Place(exchange: request.exchange, part: .requestBody, name: "client_secret"),
                        value: "missing",
                        note: "no secret, no assertion, no Authorization header"
                    )
                )
            }
            return
        }
        if attempt.tokenRequests.contains(where: GoTrueRequest.isExchange) {
            self = .unknown("the client is a server of GoTrue, whose own token request is not recorded")
            return
        }
        guard let uri, isLoopback else {
            self = .unknown("no token request shows whether the client has credentials")
            return
        }
        self =
            Self.isWebApp(at: target?.origin, flow)
            ? .unknown("a web app on this machine, whose token request is not recorded")
            : .public(Evidence(uri, note: "an app on this machine"))
    }

    /// Pages of the app at the origin of the redirect URI, other than the callback itself; on this machine under any of its names.
    static func isWebApp(at origin: String?, _ flow: Flow) -> Bool {
        let callbacks = Set(flow.surroundings.responses.compactMap(\.callback))
        return flow.capture.indices.contains { index in
            !callbacks.contains(index) && isSame(flow.capture[index].request.url, origin)
                && flow.capture[index].response.map { $0.location != nil || $0.body?.essence == "text/html" }
                    ?? false
        }
    }

    private static func isSame(_ url: RecordedURL, _ origin: String?) -> Bool {
        if url.origin == origin { return true }
        guard let other = origin.map({ RecordedURL($0) }), url.scheme == other.scheme, url.port == other.port
        else { return false }
        return [url, other].allSatisfy { $0.host.map(LoopbackHost.isLoopback) ?? false }
    }

    /// The alias for clients with certificates, or an endpoint that knows no other way.
    private static func isMutualTLS(_ request: TokenRequest, _ flow: Flow) -> Bool {
        flow.surroundings.metadata.contains { document in
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
