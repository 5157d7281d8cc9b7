import Captures
import Flows
import JOSE
import OAuth

/// Values of a capture that a sanitizer or a person took out, and what can be said without them.
///
/// A mark in the place of a value looks like a value: it is another one than the next mark, no base64url, and no code that the
/// provider has given out. A rule that judges what a value says has to abstain.
enum TakenOutValues {
    /// Rules that judge that something is there, or what the other side answered: right whatever the values were.
    static let judgedAllTheSame: Set<String> = [
        // Something is missing, or is there where it should not be.
        "authz-missing-parameter", "client-assertion-missing", "client-auth-duplicate",
        "code-in-referer", "code-missing", "code-never-redeemed", "credentials-in-url",
        "csrf-protection-missing",
        "embedded-user-agent", "id-token-missing", "id-token-nonce-missing", "implicit-flow",
        "issuer-param-missing",
        "logout-hint-missing", "logout-local-only", "nonce-missing", "par-required", "parameter-repeated",
        "password-grant", "pkce-method-omitted", "pkce-missing-confidential", "pkce-missing-public-client",
        "pkce-required", "pkce-verifier-missing", "pkce-verifier-unexpected", "public-client-sends-secret",
        "refresh-token-missing", "registration-open", "resource-indicator-missing", "response-mode-differs",
        "scope-openid-missing", "silent-login-required", "state-missing-in-response", "token-error-with-200",
        "token-in-query", "token-response-cacheable", "tokens-relayed-to-app",
        // The other side said so.
        "access-denied-by-policy", "access-token-expired", "authorization-error", "bearer-rejected",
        "callback-rejected-by-app", "client-auth-method-unsupported", "client-id-unknown", "code-expired",
        "cors-blocked", "device-code-expired", "device-polling-too-fast", "dpop-nonce-ignored",
        "insufficient-scope",
        "logout-redirect-not-registered", "par-rejected", "par-request-uri-expired", "provider-server-error",
        "rate-limited", "redirect-uri-not-registered", "refresh-token-expired", "registration-rejected",
        "response-type-unsupported", "scope-rejected", "token-endpoint-error", "token-invalid-client",
        "token-invalid-grant", "unsupported-grant-type", "user-cancelled",
        // A cookie is kept or lost by its attributes.
        "cookie-host-mismatch", "cookie-path-mismatch", "cookie-samesite-form-post",
        "cookie-samesite-none-insecure",
        "cookie-samesite-strict", "cookie-secure-over-http", "provider-session-cookie-missing",
        "session-cookie-not-persistent", "silent-login-cookies-blocked", "state-cookie-lost",
        // Connections and pages.
        "backchannel-not-recorded", "callback-unreachable", "capture-sanitized", "host-unreachable",
        "login-abandoned",
        "redirect-loop", "response-body-missing", "tls-certificate-untrusted", "tls-client-rejects-recorder",
        "tls-handshake-failed",
    ]

    /// The marks among what a flow's messages say and are answered with, the first of each name.
    static func marks(in flow: Flow) -> [Parameter] {
        flow.derived.value {
            Marks(
                list: flow.messages.flatMap(values).filter { Placeholder.isTakenOut($0.value) }
                    .eachOnce(by: \.name)
            )
        }.list
    }

    private struct Marks: Sendable {
        var list: [Parameter]
    }

    /// What a login depends on.
    private static func values(of message: OAuthMessage) -> [Parameter] {
        switch message {
        case .authorizationRequest(let request): request.parameters.items
        case .authorizationResponse(let response): response.parameters.items
        case .token(let request): request.parameters.items + request.answer.parameters.items
        // Of UserInfo it is the user as well, who is held against the ID token's.
        case .userInfo(let call):
            shownToken(of: call) + [call.answer.parameters.parameter("sub")].compactMap(\.self)
        case .resource(let call): shownToken(of: call)
        case .registration(let call), .pushedRequest(let call), .introspection(let call),
            .revocation(let call),
            .deviceAuthorization(let call), .identityAssertion(let call), .clientConfiguration(let call),
            .backchannelAuthentication(let call):
            call.parameters.items + call.answer.parameters.items
        case .endSession(let call), .frontChannelLogout(let call): call.parameters.items
        case .backChannelLogout(let delivery): [delivery.parameter]
        case .discovery(let document): document.answer.parameters.items.filter { isAddress($0.name) }
        case .keySet: []
        }
    }

    /// What stands for a whole header that is not there was put there by nobody.
    private static func shownToken(of call: EndpointCall) -> [Parameter] {
        [call.token].compactMap { $0?.value == BearerToken.leftOut ? nil : $0 }
    }

    /// Whether a member of metadata says what the server is called, or where something of it is.
    private static func isAddress(_ name: String) -> Bool {
        ["issuer", "resource", "jwks_uri"].contains(name) || name.hasSuffix("_endpoint")
    }

    /// Why a rule's violation says nothing: one of the values that it rests on is not in the capture.
    static func reason(against violation: Violation, in flow: Flow) -> String? {
        // Nearly always there is none.
        guard !marks(in: flow).isEmpty else { return nil }
        for evidence in violation.evidence {
            guard let exchange = evidence.place.exchange, flow.capture.indices.contains(exchange) else {
                continue
            }
            guard isTakenOut(evidence.place, of: flow.capture[exchange], at: exchange) else { continue }
            return
                "\(evidence.place.name) was taken out of the capture: entry \(exchange) has a mark in its place"
        }
        return nil
    }

    private static func isTakenOut(_ place: Place, of exchange: Exchange, at index: Int) -> Bool {
        switch place.part {
        case .requestHeader:
            if exchange.request.headers.all(place.name).contains(where: Placeholder.isTakenOut) {
                return true
            }
        case .responseHeader:
            if exchange.response?.headers.all(place.name).contains(where: Placeholder.isTakenOut) ?? false {
                return true
            }
        default: break
        }
        var collector = OccurrenceCollector()
        return collector.occurrences(in: exchange, at: index).contains {
            $0.place == place && Placeholder.isTakenOut($0.value)
        }
    }
}
