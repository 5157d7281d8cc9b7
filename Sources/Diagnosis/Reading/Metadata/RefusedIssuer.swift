import Captures
import Flows
import OAuth

/// The issuer of metadata that the client compared with its own setting and refused, as its server says.
///
/// The URL that was asked does not tell of it: a slash at the end is enough for two names to differ.
enum RefusedIssuer {
    /// An error; nil where no client did.
    static func violation(in flow: Flow) -> Violation? {
        flow.derived.value { Known(violation: read(flow)) }.violation
    }

    private struct Known: Sendable {
        let violation: Violation?
    }

    private static func read(_ flow: Flow) -> Violation? {
        for document in flow.serverMetadata where document.isUsable && !flow.wentOn(after: document) {
            guard let named = document.answer.parameters.parameter("issuer"),
                let work = flow.surroundings.failedWork(behind: document.exchange)
                    ?? workThatNames(named.value, document, flow)
            else { continue }
            guard let refusal = wordsOfIssuer(in: flow.capture[work], at: work) else {
                guard IssuerTemplate.isOne(named.value) else { continue }
                return TenantTemplate.violation(named, document, work, flow)
            }
            return Violation(
                [
                    document.urlEvidence,
                    Evidence(
                        named,
                        note:
                            "compared with the client's setting to the letter, the slash at the end included"
                    ),
                    refusal,
                ],
                severity: .error,
                explanation: """
                    The client read the metadata, and its server refused them for the name of the issuer. It compares the name with the one that it is \
                    configured with, character by character; a slash at the end is enough, which the URL of the document does not show.
                    """,
                fix: "Configure the client with the issuer exactly as the document names it.",
                exchange: document.exchange
            )
        }
        return nil
    }

    /// Of captures that were put together, which have no addresses: the failed request of another program meanwhile whose answer
    /// speaks of the issuer and has the document's very name for it.
    private static func workThatNames(_ issuer: String, _ document: MetadataDocument, _ flow: Flow) -> Int? {
        let reader = flow.capture[document.exchange].request.userAgent
        return flow.surroundings.failedWork(behind: document.exchange) { other in
            let asked = flow.capture[other]
            guard asked.request.userAgent != reader,
                wordsOfIssuer(in: asked, at: other) != nil
            else { return false }
            let location = asked.response?.location ?? ""
            return PageText.words(of: asked.response?.body, limit: 1 << 16).containsBytes(issuer)
                || RecordedURL(location).queryItems.items.contains { $0.value.containsBytes(issuer) }
        }
    }

    /// Where the app's answer speaks of the issuer.
    private static func wordsOfIssuer(in answer: Exchange, at index: Int) -> Evidence? {
        if let location = answer.response?.location {
            let items = RecordedURL(location).queryItems.items
            guard let item = items.first(where: { isOfIssuer($0.value) }) else { return nil }
            return Evidence(
                place: Place(exchange: index, part: .responseLocation, name: item.name),
                value: Masking.shown(item.value, of: item.name)
            )
        }
        let words = PageText.words(of: answer.response?.body, limit: 1 << 16)
        guard isOfIssuer(words) else { return nil }
        return Evidence(
            place: Place(exchange: index, part: .responseBody, name: ""),
            value: Masking.shown(Excerpt.around("issuer", in: words), of: "body")
        )
    }

    /// Whether a sentence says that an issuer is another one than it should be.
    private static func isOfIssuer(_ text: String) -> Bool {
        text.asciiLowercased().split(separator: ". ").map(String.init).contains { sentence in
            sentence.containsBytes("issuer")
                && ["match", "expected", "differ", "unexpected", "invalid issuer"].contains(
                    where: sentence.containsBytes
                )
        }
    }
}
