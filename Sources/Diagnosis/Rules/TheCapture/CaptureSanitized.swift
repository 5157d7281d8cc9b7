import Captures
import Flows
import JOSE
import OAuth

/// The file, or one of an import, has no cookie and no credential anywhere, though a browser went to a sign-in page: they were left
/// out of it.
///
/// The variant `placeholders`: values of this login were, with a mark in the place of each.
struct CaptureSanitized: Rule {
    static let info = RuleInfo(
        id: "capture-sanitized",
        title: "Cookies and credentials were stripped from this capture",
        severity: .note,
        explanation: """
            Not one request or answer in the file has a Cookie, Set-Cookie or Authorization header. Browsers leave them out of an export unless \
            told otherwise. What depends on a cookie or on such a header cannot be judged from this file.
            """,
        fix: """
            Export once more with sensitive data. Chrome and Edge: in the settings of the developer tools, under Network, allow to generate \
            HAR with sensitive data, and choose that export. Treat the file as a secret then.
            """,
        badExample: """
            GET /authorize?…   Host, User-Agent → 200 Content-Type      (and so on through the file)
            """,
        goodExample: """
            GET /authorize?…   Host, User-Agent, Cookie → 200 Content-Type, Set-Cookie
            """,
        specifications: [
            SpecificationReference(
                text: "HAR 1.2 headers",
                url: "http://www.softwareishard.com/blog/har-12-spec/#headers"
            ),
            SpecificationReference(
                text: "HAR 1.2 cookies",
                url: "http://www.softwareishard.com/blog/har-12-spec/#cookies"
            ),
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        if let violation = placeholders(in: flow) { return .violated(violation) }
        guard
            let request = flow.authorizationRequests.first(where: {
                flow.surroundings.isSanitized(at: $0.exchange)
            })
        else { return .holds }
        // Of an import whose other files have some: what they told was enough for a login that went well.
        let file =
            flow.surroundings.isSanitized
            ? nil : flow.capture[request.exchange].provenance.seen.first?.file
        guard file == nil || flow.ending != .success else { return .holds }
        let recorders =
            file.map { [flow.capture.recordersByFile[$0] ?? flow.capture.creator] }
            ?? flow.capture.recorders
        let name = recorders.map { recorder in
            [recorder.name, recorder.version].filter { !$0.isEmpty }.joined(separator: " ")
        }.filter { !$0.isEmpty }.joined(separator: ", ")
        return .violated(
            Violation(
                [
                    Evidence(
                        place: Place(exchange: request.exchange, part: .requestHeader, name: "Cookie"),
                        value: "none",
                        note: file.map { "and none in any exchange of \(Excerpt.start(of: $0, 80))" }
                            ?? Self.none(in: flow.capture)
                    ),
                    .computed(
                        "log.creator",
                        name.isEmpty ? "not named" : Excerpt.start(of: name, 80),
                        in: .requestHeader
                    ),
                ],
                title: file.map { _ in "Cookies and credentials were stripped from a file of this import" }
            )
        )
    }

    private static func none(in capture: Capture) -> String? {
        capture.count == 1 ? nil : "and none in any of \(capture.count) exchanges"
    }

    /// How many of them are shown.
    private static let shown = 4

    private func placeholders(in flow: Flow) -> Violation? {
        let marks = TakenOutValues.marks(in: flow)
        guard !marks.isEmpty else { return nil }
        return Violation(
            marks.prefix(Self.shown).enumerated().map { index, mark in
                let rest = marks.count - Self.shown
                return Evidence(
                    place: mark.place,
                    value: Self.text(of: mark.value),
                    note: index == Self.shown - 1 && rest > 0 ? "and \(rest) more parameters" : nil
                )
            },
            variant: "placeholders",
            explanation: """
                Somebody took values out of this capture and put marks in their place. What is decided by such a value, a signature, a \
                hash, whether two values are equal, is not judged here; what was answered is, and what was sent at all.
                """,
            fix: """
                Ask for the capture as it was recorded, made safe with `authreel share CAPTURE --out FILE`: it puts a stand-in of the same \
                shape wherever a value occurs and signs tokens anew, so that every check comes out as for the original.
                """
        )
    }

    /// The mark itself; of a token the part where the signature was.
    private static func text(of value: String) -> String {
        guard let token = JSONWebToken.parse(value) else { return Excerpt.start(of: value, 40) }
        return "header.claims."
            + Excerpt.start(of: String(token.text.split(separator: ".", maxSplits: 2).last ?? ""), 40)
    }
}
