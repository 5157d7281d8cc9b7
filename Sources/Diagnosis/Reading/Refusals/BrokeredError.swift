import Captures

/// What a provider behind the provider answered it, as Cognito hands it on to the app: `Google Error - 401 invalid_client Unauthorized`.
///
/// The error is between those two: the provider knows the app that it tells so.
struct BrokeredError {
    /// As RFC 6749, section 5.2, names it, mostly.
    private let code: String

    /// Nil of any other text.
    init?(in text: String) {
        let words = text.utf8.split(separator: 0x20, maxSplits: Self.mostWords).prefix(Self.mostWords)
            .map { String(Substring($0)) }
        guard
            let place = words.indices.dropFirst().first(where: {
                words[$0].equalsIgnoringASCIICase("error") && words.dropFirst($0 + 1).first == "-"
                    && Self.isStatus(words.dropFirst($0 + 2).first ?? "")
            }),
            let code = words.dropFirst(place + 3).first(where: { $0 != "-" }),
            code.utf8.contains(0x5f), code.utf8.allSatisfy({ $0.isASCIIAlphanumeric || $0 == 0x5f })
        else { return nil }
        self.code = code.lowercased()
    }

    private static func isStatus(_ word: String) -> Bool {
        word.utf8.count == 3 && word.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// The text begins with it.
    private static let mostWords = 16

    var words: Violation.Words { Violation.Words(title: Self.title, explanation: Self.explanation, fix: fix) }

    private static let title = "The identity provider behind the provider refused it"
    private static let explanation = """
        The user was at an identity provider behind this provider, and when this provider asked that one for tokens, it was refused: status and error in the text are \
        that one's answer. The app's request had nothing to do with it.
        """

    private var fix: String {
        switch code {
        case "invalid_client", "unauthorized_client":
            """
            Compare the client id and secret of this identity provider in the provider's settings (Cognito: the user pool's social and external providers) with what is \
            registered there. A secret that was renewed has to be renewed here too; for Apple compare services id, team id, key id and private key.
            """
        case "redirect_uri_mismatch":
            """
            Register the provider's own address at the identity provider behind it, to the letter (Cognito: https:// its domain /oauth2/idpresponse), under the client id \
            that the provider has for it.
            """
        default:
            """
            Mend it between the two: in the provider's settings of this identity provider, its client id, secret, scopes and endpoints, and at the identity \
            provider, whose log says more. The app needs no change.
            """
        }
    }
}
