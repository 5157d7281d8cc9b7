import Captures
import Flows
import OAuth

/// The provider sent the browser to the redirect URI, with neither a code nor an error; or the code that it sent was lost before
/// it came there.
struct CodeMissing: Rule {
    static let info = RuleInfo(
        id: "code-missing",
        title: "The provider's answer has neither a code nor an error",
        severity: .error,
        explanation: """
            The provider redirected to the app as if the login were over, but the address carries nothing that the app could go on with: no \
            code, no error, no signed response.
            """,
        fix: """
            Compare the redirect as the provider writes it with the one that reaches the browser: a proxy that rewrites addresses may strip \
            the query. If the provider writes it so, its log for this request has to say why.
            """,
        badExample: """
            GET /authorize?response_type=code&redirect_uri=https%3A%2F%2Fapp.example%2Fcallback&…
            302 Location: https://app.example/callback
            """,
        goodExample: """
            GET /authorize?response_type=code&redirect_uri=https%3A%2F%2Fapp.example%2Fcallback&…
            302 Location: https://app.example/callback?code=…&state=…
            """,
        specifications: [.rfc(6749, "4.1.2")]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.first(of: flow.loginAttempts) { attempt in
            switch MissingCode(of: attempt, in: flow) {
            case nil: .holds
            case .partial(let response, let type): .violated(partial(response, type))
            case .unsigned(let response, let type, let first): .violated(unsigned(response, type, first))
            case .stripped(let callback): .violated(callback.violation(in: flow))
            case .posted(let awaited, let exchange, let form): .violated(posted(awaited, exchange, form))
            case .redirected(let awaited, let answer): redirected(answer, awaited)
            }
        }
    }

    private func partial(_ response: AuthorizationResponse, _ type: Parameter) -> Violation {
        Violation(
            [Evidence(type), response.names(note: "no code")],
            explanation: Self.partial,
            exchange: response.exchange
        )
    }

    private func unsigned(_ response: AuthorizationResponse, _ type: Parameter, _ first: Parameter)
        -> Violation
    {
        let place = Place(exchange: first.place.exchange, part: .jwtClaims, name: "")
        let names = Masking.shown(response.claims.shownNames, of: "names")
        return Violation(
            [Evidence(type), Evidence(place: place, value: names, note: "neither a code nor an error")],
            explanation: Self.signed,
            exchange: response.exchange
        )
    }

    private func posted(_ awaited: AwaitedCode, _ exchange: Int, _ form: QueryItems) -> Violation {
        let posted = Evidence(
            place: Place(exchange: exchange, part: .requestBody, name: ""),
            value: Masking.shown("POST \(awaited.address.withoutQuery)", of: "url"),
            note: Self.note(of: form)
        )
        return Violation([Evidence(awaited.redirectURI), posted], exchange: exchange)
    }

    /// A redirect to the redirect URI that brings nothing.
    private func redirected(_ answer: CodelessAnswer, _ awaited: AwaitedCode) -> Verdict {
        guard !answer.mayBeInFragment else {
            return .abstains("the answer may have been in the fragment, which recorders leave out")
        }
        let isSecond = answer.isBehindSecondMark
        return .violated(
            Violation(
                [
                    Evidence(awaited.redirectURI),
                    Evidence(
                        place: Place(exchange: answer.exchange, part: .responseLocation, name: ""),
                        value: Masking.shown(answer.target.text, of: "location"),
                        note: isSecond
                            ? "a second \"?\" before the answer"
                            : Self.note(of: answer.target.queryAndFragmentItems)
                    ),
                ],
                saying: isSecond ? Self.secondMark : nil,
                exchange: answer.exchange
            )
        )
    }

    private static func note(of items: QueryItems) -> String {
        let names = items.items.map(\.name)
        return names.isEmpty ? "no parameters" : "only \(names.prefix(12).joined(separator: ", "))"
    }

    private static let partial = """
        The request asked for a code and for a token beside it. The provider's answer has the token and no code, so there is nothing that the \
        app could exchange.
        """
    private static let signed = """
        The provider answered in a signed response, as it was asked to. What is signed has neither a code nor an error, so the app has nothing \
        that it could go on with.
        """

    private static let secondMark = Violation.Words(
        title: "The provider put its answer behind a second question mark",
        explanation: """
            The redirect URI has a query of its own. The provider has to keep it and add its parameters behind an ampersand; it put a second \
            question mark there. So the first of its parameters is a part of the redirect URI's last one, and the app finds no code under that name.
            """,
        fix: """
            Have the provider mended (RFC 6749, section 3.1.2). Until then register a redirect URI without a query, and keep what is in the query in \
            the login that the state stands for, or in the path.
            """
    )
}
