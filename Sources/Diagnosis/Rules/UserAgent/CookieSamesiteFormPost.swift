import Captures
import Flows

/// The provider's page posts the answer across sites, and the app's login cookie stays away from such posts.
///
/// `Lax` lets a cookie travel with navigations by GET only. Without the attribute Chromium makes an
/// exception for two minutes, so that quick logins pass and slow ones fail.
struct CookieSamesiteFormPost: Rule {
    static let info = RuleInfo(
        id: "cookie-samesite-form-post",
        title: "The login cookie is not sent with the provider's cross-site POST",
        severity: .error,
        explanation: """
            The answer comes as a form that the provider's page posts to the app, so the post comes from another site. The cookie by which the \
            app recognises the login may not travel with such a post, so the callback came without it and was refused.
            """,
        fix: """
            Set this one cookie with SameSite=None; Secure, or keep what it holds on the server and find it by state. A cookie without the \
            attribute is no way out: browsers that take it as Lax let it pass for its first two minutes only.
            """,
        badExample: """
            302 to the provider, Set-Cookie: login=…; Secure; SameSite=Lax
            POST /callback   Origin: https://id.example, no Cookie → 400
            """,
        goodExample: """
            302 to the provider, Set-Cookie: login=…; Secure; SameSite=None
            POST /callback   Origin: https://id.example, Cookie: login=… → 302 /
            """,
        specifications: [
            SpecificationReference(text: "RFC 6265bis §5.6.7", url: nil),
            SpecificationReference(text: "RFC 6265bis §5.8.3", url: nil),
            SpecificationReference(
                text: "OAuth 2.0 Form Post Response Mode",
                url: "https://openid.net/specs/oauth-v2-form-post-response-mode-1_0.html"
            ),
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        LostLoginCookies.verdict(on: flow) { lost, login in
            // A page of the app's own may hand on by POST what came to it by GET.
            guard login.isPostedByProvider, lost.obstacle == .laxPost || lost.obstacle == .strict else {
                return nil
            }
            guard let attribute = lost.setting.cookie.sameSite, lost.obstacle == .strict || isLax(attribute)
            else {
                let age = login.sending.at.seconds - lost.setting.at.seconds
                return "no SameSite: taken as Lax, and \(age) s old at the callback"
            }
            return "not sent with a POST from another site"
        } besides: { _, login in
            if let form = login.form { return form.evidence(in: flow) }
            let origin = login.sending.initiator?.origin ?? ""
            return [
                Evidence(
                    place: Place(exchange: login.carrier, part: .requestURL, name: ""),
                    value: "POST \(login.sending.url.withoutQuery)",
                    note: "posted by a page of \(origin)"
                )
            ]
        } words: {
            $0.form?.words
        }
    }

    private func isLax(_ attribute: String) -> Bool { attribute.lowercased() == "lax" }
}
