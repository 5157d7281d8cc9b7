import Captures
import Flows
import OAuth

/// What an identity provider behind the provider answered in SAML, by the browser, and the provider refused (SAML 2.0 Bindings, section
/// 3.5): the login failed between the two, and the app has no part in it.
enum BrokeredAssertion {
    /// Where the answer was brought; nil where an exchange is of another kind.
    static func evidence(at exchange: Int, in flow: Flow) -> Evidence? {
        let request = flow.capture[exchange].request
        guard let answer = FormBody.items(of: request.body)?.items.first(where: { $0.name == "SAMLResponse" })
        else { return nil }
        let sender = request.headers.first("origin").flatMap { $0 == "null" ? nil : $0 }
        return Evidence(
            place: Place(exchange: exchange, part: .requestBody, name: answer.name),
            value: Masking.masked(answer.value),
            note: "the answer of " + (sender.map { Masking.shown($0, of: "url") } ?? "an identity provider")
                + " to the provider, which did not take it"
        )
    }

    static let words = Violation.Words(title: title, explanation: explanation, fix: fix)

    private static let title = "The provider did not take the answer of the identity provider behind it"
    private static let explanation = """
        The provider has its users sign in at an identity provider of theirs, by SAML. That one answered, and the provider ended the login over its answer: a \
        signature that it cannot verify, an audience or an address that is not its own, a time that is over, an attribute that is missing, or a status that is \
        no success. The app's request had nothing to do with it.
        """
    private static let fix = """
        Decode the SAMLResponse (base64 around XML) and read its Status first. Then compare its certificate with the one that the provider has of the identity \
        provider, which changes from time to time; its Audience and Destination with the provider's entity id and address; NotBefore and NotOnOrAfter with the \
        clocks of both. The provider's log names the check that failed.
        """
}
