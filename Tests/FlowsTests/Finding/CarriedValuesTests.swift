import Captures
import Flows
import TestSupport
import Testing

/// Which login a page of the provider's belongs to, by what its form carries on.
struct CarriedValuesTests {
    private static let states = ["Zk3vQ9xT1b7LmP2c", "b7LmP2cZk3vQ9xT1"]

    private func page(_ ticket: String) -> Body {
        .html(
            """
            <form method="post" action="/sign-in"><input type="hidden" name="ticket" value="\(ticket)">
            <input name="user"><input type="password" name="password"></form>
            """
        )
    }

    private func ask(_ state: String, ticket: String, _ capture: inout CaptureBuilder) {
        let parameters = [
            ("response_type", "code"), ("client_id", "web"), ("redirect_uri", "https://app.example/cb"),
            ("state", state),
        ]
        capture.get("https://idp.example/authorize?\(FormBody.encode(parameters))", body: page(ticket))
    }

    /// A wrong password; the page comes again.
    private func signIn(ticket: String, _ capture: inout CaptureBuilder) -> Int {
        capture.post(
            "https://idp.example/sign-in",
            [("ticket", ticket), ("user", "alice@idp.example"), ("password", "not-a-password")],
            body: page(ticket)
        )
    }

    /// Who tries again types the same name and password, in a login of its own.
    @Test func whatTheUserTypesTellsNoLoginsApart() {
        var capture = CaptureBuilder()
        var forms: [Int] = []
        for state in Self.states {
            ask(state, ticket: "", &capture)
            forms.append(signIn(ticket: "", &capture))
        }
        let flows = FlowFinder.flows(in: capture.capture)
        #expect(flows.map { flow in forms.filter(flow.exchanges.contains) } == [[forms[0]], [forms[1]]])
    }

    /// Two tabs.
    @Test func whatThePageHidesTellsThemApart() {
        var capture = CaptureBuilder()
        let tickets = ["first-ticket-4711", "second-ticket-4712"]
        for (state, ticket) in zip(Self.states, tickets) { ask(state, ticket: ticket, &capture) }
        let forms = tickets.map { signIn(ticket: $0, &capture) }
        let flows = FlowFinder.flows(in: capture.capture)
        #expect(flows.map { flow in forms.filter(flow.exchanges.contains) } == [[forms[0]], [forms[1]]])
    }
}
