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
            guard let awaited = AwaitedCode(of: attempt, in: flow) else { return .holds }
            if let response = attempt.response {
                return
                    (incomplete(response, attempt)
                    ?? StrippedCallback(attempt, in: flow)?.violation(in: flow)).map { .violated($0) }
                    ?? .holds
            }
            if let posted = posted(awaited, attempt, flow) {
                let evidence = [Evidence(awaited.redirectURI), posted]
                return .violated(Violation(evidence, exchange: posted.place.exchange))
            }
            return CodelessAnswer.of(attempt, in: flow).map { redirected($0, awaited) } ?? .holds
        }
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

    /// An answer that is signed, or has a token that was asked for too, and no code.
    private func incomplete(_ response: AuthorizationResponse, _ attempt: LoginAttempt) -> Violation? {
        guard (response.code ?? "").isEmpty, response.error == nil, response.mode != .credential,
            let type = attempt.parameter("response_type")
        else { return nil }
        guard response.isSigned else {
            // Of an answer in the fragment a page may post a part alone to the app.
            guard
                response.mode == .formPost
                    ? attempt["response_mode"] == "form_post" : response.deliveredBy != nil
            else { return nil }
            return Violation(
                [Evidence(type), response.names(note: "no code")],
                explanation: Self.partial,
                exchange: response.exchange
            )
        }
        guard let first = response.claims.items.first else { return nil }
        let place = Place(exchange: first.place.exchange, part: .jwtClaims, name: "")
        let names = Masking.shown(response.claims.shownNames, of: "names")
        return Violation(
            [Evidence(type), Evidence(place: place, value: names, note: "neither a code nor an error")],
            explanation: Self.signed,
            exchange: response.exchange
        )
    }

    private static let partial = """
        The request asked for a code and for a token beside it. The provider's answer has the token and no code, so there is nothing that the \
        app could exchange.
        """
    private static let signed = """
        The provider answered in a signed response, as it was asked to. What is signed has neither a code nor an error, so the app has nothing \
        that it could go on with.
        """

    /// A form that came to the redirect URI with the request's `state`, and nothing else of an answer.
    private func posted(_ awaited: AwaitedCode, _ attempt: LoginAttempt, _ flow: Flow) -> Evidence? {
        guard awaited.isForAppAlone, attempt["response_mode"]?.hasPrefix("form_post") ?? false,
            let state = attempt["state"]
        else { return nil }
        let uri = awaited.address
        for index in flow.surroundings.withoutAssets(after: awaited.request.exchange).prefix(500) {
            let sent = flow.capture[index].request
            guard sent.method == "POST", sent.url.normalizedWithoutQuery == uri.normalizedWithoutQuery,
                let form = FormBody.items(of: sent.body), form.first("state") == state,
                !AuthorizationResponse.isResponse(form, mode: .formPost)
            else { continue }
            return Evidence(
                place: Place(exchange: index, part: .requestBody, name: ""),
                value: Masking.shown("POST \(uri.withoutQuery)", of: "url"),
                note: Self.note(of: form)
            )
        }
        return nil
    }

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
