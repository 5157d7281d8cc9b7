import Captures
import Flows
import OAuth

/// A refusal of what the browser itself asked the provider (FedCM, One Tap).
enum HandedRefusal {
    /// A user's own no never gets as far as the provider.
    static func violation(in flow: Flow) -> Violation? {
        for handed in HandedCredential.all(in: flow) {
            guard let refusal = handed.refusal, let asked = handed.assertion else { continue }
            if asked.isStatusRefused { return unknownOrigin(asked, refusal, flow) }
            let uri = handed.response?.parameters.parameter("error_uri").map { Evidence($0) }
            return Violation(
                [refusal, uri, handed.client.map { Evidence($0) }].compactMap(\.self),
                exchange: asked.exchange
            )
        }
        return nil
    }

    /// Google shows nothing then, and its script writes a line to the console alone.
    private static func unknownOrigin(_ asked: EndpointCall, _ refusal: Evidence, _ flow: Flow) -> Violation {
        let exchange = flow.capture[asked.exchange].request
        let origin = exchange.headers.first("origin") ?? exchange.headers.first("referer")
        let page = Evidence(
            place: Place(
                exchange: asked.exchange,
                part: .requestHeader,
                name: exchange.headers.contains("origin") ? "Origin" : "Referer"
            ),
            value: origin.map { Masking.shown($0, of: "origin") } ?? "none",
            note: origin == nil ? "the page sent none" : "the page that asked"
        )
        let client = asked.parameters.parameter("client_id").map { Evidence($0) }
        return Violation(
            [refusal, page, client].compactMap(\.self),
            explanation: """
                Google's script asked who is signed in before it offers a sign-in (One Tap, or the button with a name). The answer is 403: the page's origin is \
                not among those that the client is registered with. Nothing is shown to the user then; the browser's console says "The given origin is not \
                allowed for the given client ID".
                """,
            fix: """
                Add the origin to the client's authorized JavaScript origins at Google, exactly, with scheme and port (for development http://localhost as well as \
                http://localhost:PORT), and let the page send it: Referrer-Policy: no-referrer-when-downgrade where it is not https. A change takes some minutes.
                """,
            title: "Google does not know the page's origin for this client",
            exchange: asked.exchange
        )
    }
}
