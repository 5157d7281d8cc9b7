import Captures
import Flows
import OAuth

/// A request to an endpoint that was answered with a redirect: to https, to an address with a slash at the end, to a page.
///
/// Clients follow it with a GET that has lost the form (RFC 9110, section 15.4), or not at all.
enum RedirectedCall {
    /// `endpoint`: as it is called, `token endpoint` say; nil where the answer is none of this kind.
    static func violation(of answer: Answer, endpoint: String, in flow: Flow) -> Violation? {
        guard let status = answer.status, (300..<400).contains(status), answer.error == nil,
            let location = flow.locationEvidence(of: answer.exchange)
        else { return nil }
        return Violation(
            [answer.statusEvidence(), location],
            explanation: """
                The \(endpoint)'s address leads elsewhere. Clients follow such an answer with a GET that has lost the form (301, 302, 303), or \
                not at all.
                """,
            fix: """
                Where it leads to a \(endpoint) (https, a slash at the end, another host), put that address into the client's configuration; \
                where it leads to a page, something in front of the provider asks for a login, or the path is none of the \(endpoint).
                """,
            exchange: answer.exchange
        )
    }
}
