import Captures
import Flows

/// A setting of the app's that has no value, as its address of the provider shows: `https://undefined/authorize`.
///
/// Programs write their language's word for nothing where they make text of it: as the host or the first label of one, or as a part of
/// the path. Nobody calls a realm or a tenant so; a domain of that name may be somebody's.
struct UnsetSetting {
    /// The address with the word.
    let evidence: Evidence
    /// Whether the word is the host, or stands in it.
    let isOfHost: Bool

    /// Nil where the address of a request has no such word.
    init?(at exchange: Int, in flow: Flow) {
        let url = flow.capture[exchange].request.url
        let labels = (url.host ?? "").split(separator: ".").map(String.init)
        let host = labels.first.flatMap { labels.count != 2 && Self.isOne($0) ? $0 : nil }
        guard let word = host ?? url.path.split(separator: "/").lazy.map(String.init).first(where: Self.isOne)
        else { return nil }
        isOfHost = host != nil
        evidence = flow.urlEvidence(of: exchange, note: "\(word) stands where a value is missing")
    }

    /// Whether a text is such a word; percent-encoded where it has to be in a path.
    static func isOne(_ text: String) -> Bool {
        text.utf8.count <= 24 && spellings.contains(text.asciiLowercased())
    }

    private static let spellings: Set<String> = [
        "undefined", "null", "(null)", "optional(nil)", "[object object]", "[object%20object]",
        "%5bobject%20object%5d",
    ]

    static let words = Violation.Words(
        title: "The app does not know its provider: a setting has no value",
        explanation: """
            The app's address of the provider holds a word that programs write in the place of a value that is not there. Its setting for the provider (issuer, \
            authority, domain, tenant) was empty where it was built or started.
            """,
        fix: fix
    )
    static let clientWords = Violation.Words(
        title: "The app does not know its client id: the setting has no value",
        explanation: """
            The request names as its client a word that programs write in the place of a value that is not there. The app's setting for the client id was \
            empty where it was built or started.
            """,
        fix: fix
    )
    private static let fix = """
        Give the app that setting under the very name by which it reads it, where it is built or started, and start it anew. Apps in the browser take variables \
        when they are built, and only those with their tool's prefix (VITE_, NEXT_PUBLIC_, REACT_APP_).
        """
}
