import Captures
import Flows
import OAuth

/// A form of the provider's pages that a redirect to another spelling of its address made a GET of, which has no form any more (RFC 9110,
/// section 15.4): what the user entered never came to the provider.
///
/// Refuses redirects that a server gives to a form that it took: those to another place, and those that set a cookie.
struct LostForm: Sendable {
    /// The exchange that sent the form, whose answer is the redirect.
    let form: Int
    /// The GET that came of it.
    let landing: Int
    /// Whether https for http is what the redirect changed.
    let isOfScheme: Bool

    /// The first form of a login without an answer that was lost so; nil where none was.
    static func found(in flow: Flow) -> LostForm? {
        flow.derived.value { Found(lost: first(in: flow)) }.lost
    }

    private struct Found: Sendable {
        var lost: LostForm?
    }

    private static func first(in flow: Flow) -> LostForm? {
        guard flow.ending != .success else { return nil }
        let lost = flow.exchanges.compactMap { LostForm(landingAt: $0, of: flow) }
        guard !lost.isEmpty else { return nil }
        for attempt in flow.loginAttempts where attempt.response.map({ $0.error != nil }) ?? true {
            guard let request = attempt.request else { continue }
            let pages = ProviderPages.of(request, in: flow)
            let places = Set(pages)
            guard let first = lost.first(where: { places.contains($0.landing) }),
                !isSentAgain(after: first, lost, pages, flow)
            else { continue }
            return first
        }
        return nil
    }

    /// Whether what the user entered came to the provider later, at a form that was not lost.
    private static func isSentAgain(after first: LostForm, _ lost: [LostForm], _ pages: [Int], _ flow: Flow)
        -> Bool
    {
        let forms = Set(lost.map(\.form))
        let position = flow.surroundings.position
        return pages.contains {
            position[$0] > position[first.landing] && !forms.contains($0) && flow.isCredentialPost($0)
                && flow.capture[$0].response != nil
        }
    }

    private init?(landingAt page: Int, of flow: Flow) {
        guard let source = flow.surroundings.redirectedFrom[page] else { return nil }
        let sent = flow.capture[source].request
        let came = flow.capture[page].request
        guard sent.method == "POST", came.method == "GET", Self.hasFields(sent),
            let answer = flow.capture[source].response, [301, 302, 303].contains(answer.status),
            answer.headers.first("set-cookie") == nil, sent.url.isRespelled(as: came.url)
        else { return nil }
        let schemes = [sent.url.scheme?.lowercased(), came.url.scheme?.lowercased()]
        isOfScheme = schemes == ["http", "https"]
        // A page that is shown behind a form that was taken (303) may have its own spelling, and a query that says what came of it.
        let query = came.url.query ?? ""
        guard query == sent.url.query ?? "" || isOfScheme && query.isEmpty,
            isOfScheme || schemes[0] == schemes[1] && answer.status != 303
        else { return nil }
        form = source
        landing = page
    }

    private static func hasFields(_ request: RecordedRequest) -> Bool {
        guard let body = request.body else { return false }
        guard body.isRecorded else { return true }
        return FormBody.items(of: body).map { !$0.items.isEmpty } ?? false
    }

    // MARK: - What is said of it

    /// The form, the redirect and what came of them.
    func violation(in flow: Flow) -> Violation {
        let answer = flow.capture[landing].response.map { ", answered \($0.status)" } ?? ""
        return Violation(
            [
                flow.urlEvidence(of: form, note: "where the form was sent, by POST"),
                flow.statusEvidence(of: form, note: "behind which browsers send a GET without the form"),
                flow.urlEvidence(of: landing, note: "asked for by GET\(answer)"),
            ],
            severity: .error,
            saying: isOfScheme ? Self.ofScheme(flow.provider) : Self.ofAddress,
            exchange: form,
            explains: Self.effects
        )
    }

    /// What is said by a provider that got no form.
    private static let effects: Set<String> = [
        "authz-missing-parameter", "client-id-unknown", "provider-server-error",
        "provider-session-cookie-missing",
    ]

    private static let ofAddress = Violation.Words(
        title: "The provider's own form was lost at a redirect",
        explanation: """
            A form of the provider's pages was sent to an address that redirects to another spelling of itself, with or without www. or a slash at the \
            end. Behind 301 and 302 browsers send a GET, and the form stays behind: what the user entered never came to the provider. The app has no \
            part in it.
            """,
        fix: """
            Let the provider's pages send their forms to the address that serves them: set the provider's public address as users reach it, and do not \
            have the proxy respell its paths. A redirect that has to stay keeps method and form with 308 (RFC 9110, section 15.4.9).
            """
    )

    private static func ofScheme(_ provider: ProviderKind) -> Violation.Words {
        Violation.Words(
            title: "The provider behind the proxy believes it runs on plain http, and its form was lost",
            explanation: """
                A form of the provider's pages was sent to its http address, and from there the browser was sent on to https. Behind such a redirect it sends \
                a GET, and the form stays behind: what the user entered never came to the provider. Behind a proxy that ends TLS a provider sees \
                plain http only, and builds the addresses of its forms accordingly, unless it is told otherwise. The app has no part in it.
                """,
            fix: """
                Let the proxy send X-Forwarded-Proto: https and X-Forwarded-Host, and have the provider go by them, or set its public https address. \
                \(repair(of: provider))
                """
        )
    }

    private static func repair(of provider: ProviderKind) -> String {
        switch provider {
        case .keycloak: keycloak + "."
        case .wso2: wso2 + "."
        case .forgerock: forgeRock + "."
        default:
            "\(keycloak); \(wso2); \(forgeRock); Spring: server.forward-headers-strategy=framework; ASP.NET: UseForwardedHeaders."
        }
    }

    private static let keycloak =
        "Keycloak: KC_HOSTNAME with the https address, and KC_PROXY_HEADERS=xforwarded (KC_PROXY=edge before version 24)"
    private static let wso2 =
        "WSO2: hostname below [server] and proxyPort = 443 below [transport.https.properties] in deployment.toml"
    private static let forgeRock =
        "ForgeRock AM: the realm's Base URL Source service, by X-Forwarded-* headers or as a fixed value"
}
