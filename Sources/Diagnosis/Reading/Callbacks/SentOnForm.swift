import Captures
import Flows
import OAuth

/// A form of the provider's pages that 307 or 308 sent on to the app: both keep method and body (RFC 9110, sections 15.4.8 and
/// 15.4.9).
struct SentOnForm {
    /// The redirect.
    let source: Int
    /// What the user typed at the provider and the app got.
    let secret: Parameter?

    /// Nil of an answer that came in any other way.
    init?(_ response: AuthorizationResponse, in flow: Flow) {
        guard response.target.isWeb, let source = response.deliveredBy,
            flow.capture[source].request.method == "POST",
            flow.capture[response.callback ?? source].request.method == "POST",
            let answer = flow.capture[source].response, answer.status == 307 || answer.status == 308
        else { return nil }
        self.source = source
        secret =
            flow.isCredentialPost(source)
            ? response.callback.flatMap(flow.secretField) ?? flow.secretField(of: source) : nil
    }

    func evidence(in flow: Flow) -> [Evidence] {
        let redirect = flow.statusEvidence(
            of: source,
            note: "to a POST: the browser sends the same form to the redirect URI"
        )
        let typed = secret.map {
            Evidence(place: $0.place, value: "sent", note: "what the user typed at the provider")
        }
        return [redirect, typed].compactMap(\.self)
    }

    var words: Violation.Words {
        secret == nil
            ? Violation.Words(
                title: "The provider sent its own form on to the app",
                explanation: Self.form,
                fix: Self.formFix
            )
            : Violation.Words(
                title: "The provider sent the password on to the app",
                explanation: Self.password,
                fix: Self.formFix + Self.passwordFix
            )
    }

    private static let form = """
        The provider answered a form of its own pages with a redirect that keeps method and body, so the browser sent that form to the app's redirect \
        URI, by POST and from another site: cookies with SameSite=Lax stay behind, and a callback that expects GET refuses it.
        """
    private static let password = """
        The provider answered the sign-in form with a redirect that keeps method and body, so the browser sent name and password on to the app's \
        redirect URI. It came there by POST and from another site: cookies with SameSite=Lax stay behind, and a callback that expects GET refuses it.
        """
    private static let formFix = """
        Let the provider redirect with 303 (RFC 9700, section 4.12), behind which the browser sends a GET without a body; 307 and 308 must not be used there.
        """
    private static let passwordFix =
        " Change the password: it reached the app, and perhaps its logs."
}
