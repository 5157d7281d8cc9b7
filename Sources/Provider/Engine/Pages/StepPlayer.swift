import Captures

/// Plays recorded steps in one transaction: as they were answered, with its values and this provider's addresses in the place of the
/// recorded ones.
///
/// Decides nothing: which step it is, and whether it is to be answered so, is known before.
struct StepPlayer {
    private let values: Substitution
    private let cookies: PlayedCookies

    /// `isSecure`: whether the provider is reached over TLS.
    init(_ transaction: Transaction, addresses: AddressMap, isSecure: Bool) {
        values = Substitution(transaction.values, addresses: addresses)
        cookies = PlayedCookies(addresses: addresses, isSecure: isSecure)
    }

    /// The whole answer of a step.
    func answer(_ step: InteractionScript.Step) -> BuiltAnswer {
        var answer = BuiltAnswer(step.status)
        answer.headers = HeaderFields(
            step.headers.fields.map {
                .init(name: $0.name, value: played($0.value), isLatin1: $0.isLatin1)
            }
        )
        answer.cookies = cookies(of: step)
        answer.location = step.location.map { location in
            // Within one origin the path is enough, but the mock may have moved it.
            SentText(played(location.text), isLatin1: location.isLatin1)
        }
        guard let body = step.body else { return answer }
        if let coding = body.remainingCoding {
            // Nobody could read it: it goes as it came.
            if coding != ContentCoding.unknown { answer.headers.append("Content-Encoding", coding) }
            answer.content = .body(body)
        } else {
            answer.content = .body(played(body))
        }
        return answer
    }

    func cookies(of step: InteractionScript.Step) -> [SetCookie] {
        step.cookies.map {
            cookies.played($0, of: step.url, answeredAt: step.answeredAt, values: values)
        }
    }

    /// What stands here for a recorded text.
    func played(_ text: String) -> String { values.applied(to: text) }

    /// The same of a body, where it is a text that is not too long.
    func played(_ body: Body) -> Body {
        let type = body.essence ?? ""
        let isText =
            type.hasPrefix("text/") || type.hasSuffix("json") || type.isEmpty || type.hasSuffix("javascript")
        guard isText, (body.size ?? 0) < 4 << 20, let bytes = body.bytes else { return body }
        let replaced = values.applied(to: bytes)
        return Body(content: .bytes(replaced), mediaType: body.mediaType, size: replaced.count)
    }
}
