import Captures
import Flows
import OAuth

extension Evidence {
    /// A parameter as evidence: its place, and its value cut where that is secret.
    init(_ parameter: Parameter, note: String? = nil) {
        self.init(
            place: parameter.place,
            value: Masking.shown(parameter.value, of: parameter.name),
            note: note
        )
    }

    /// The place of names, where one of them is missing.
    func missing(_ name: String) -> Evidence {
        var evidence = self
        evidence.place.name = name
        evidence.value = "missing"
        return evidence
    }

    /// A value that was computed, not seen.
    static func computed(_ name: String, _ value: String, in part: Place.Part, note: String? = nil)
        -> Evidence
    {
        Evidence(place: Place(exchange: nil, part: part, name: name), value: value, note: note)
    }

    /// A claim of a token that an exchange carries; `value` is nil where the token does not have it.
    static func claim(_ name: String, _ value: String?, at exchange: Int?, note: String? = nil) -> Evidence {
        Evidence(
            place: Place(exchange: exchange, part: .jwtClaims, name: name),
            value: value.map { Masking.shown($0, of: name) } ?? "missing",
            note: note
        )
    }
}

extension Answer {
    /// What the endpoint said: error and description, else the status.
    func evidence(note: String? = nil) -> Evidence {
        guard let error else { return statusEvidence(note: note) }
        return Evidence(place: error.place, value: Masking.shown(error.text, of: "error"), note: note)
    }

    /// The status, else why none came.
    func statusEvidence(note: String? = nil) -> Evidence {
        Evidence(place: statusPlace, value: status.map { "\($0)" } ?? failure ?? "no answer", note: note)
    }
}

extension Flow {
    /// What an endpoint said to a request that it refused: the error where it names one, else the status and the words that
    /// came with it.
    func evidence(of answer: Answer, note: String? = nil) -> [Evidence] {
        guard answer.error == nil, answer.isRefusal else { return [answer.evidence(note: note)] }
        let words = hidingSecrets(
            in: PageText.start(of: capture[answer.exchange].response?.body),
            of: answer.exchange
        )
        guard !words.isEmpty else { return [answer.statusEvidence(note: note)] }
        return [
            answer.statusEvidence(note: note),
            Evidence(
                place: Place(exchange: answer.exchange, part: .responseBody, name: ""),
                value: Masking.shown(words, of: "body")
            ),
        ]
    }
}

extension TokenRequest {
    /// A parameter that is not among those that were sent.
    func missing(_ name: String) -> Evidence { parameters.missing(name, of: exchange) }

    /// Whether the request's parameters were saved at all.
    var isRecorded: Bool { !parameters.isEmpty }
}

extension Parameters {
    /// A parameter that is not among those of a request's body.
    func missing(_ name: String, of exchange: Int) -> Evidence {
        Evidence(
            place: Place(exchange: exchange, part: .requestBody, name: name),
            value: "missing",
            note: items.isEmpty ? nil : "sent: \(shownNames)"
        )
    }

    /// The names of what was sent, each once, at most 24.
    ///
    /// What is no name is masked: a body of another kind, read as a form, has values there.
    var shownNames: String {
        let names = items.filter { !$0.name.isEmpty }.eachOnce(by: \.name).prefix(24)
        return names.map { $0.hasPlainName ? $0.name : Masking.masked($0.name) }.joined(separator: ", ")
    }
}

extension Parameter {
    /// Whether its name looks like one that somebody chose: short, of letters for the most part, and not all there is.
    fileprivate var hasPlainName: Bool {
        let bytes = name.utf8
        guard bytes.count <= 40, !value.isEmpty || bytes.count <= 24 else { return false }
        let digits = bytes.count { (0x30...0x39).contains($0) }
        return digits < 3
            && bytes.allSatisfy {
                (0x30...0x3b).contains($0) || (0x41...0x5b).contains($0) || (0x61...0x7a).contains($0)
                    || [0x24, 0x2d, 0x2e, 0x5d, 0x5f].contains($0)
            }
    }
}
