import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The values of a flow that another run of the same login has anew, learned from the flow itself.
///
/// Every value that travels through the flow on a link counts, whatever its name; so does what the specifications
/// have made up for one login. What a client is configured with does not, though it travels as well.
struct LearnedValues {
    private var values: Set<String> = []
    /// Of those, what names of cookies and parts of paths are made of.
    private var pieces: [String] = []
    private let started: Timestamp

    /// More are not looked for inside of names.
    private static let pieceLimit = 64

    /// Names under which one of the two captures has stand-ins.
    private let redactions: [Redaction]

    /// `redactions`: of the captures that are compared, where their secrets are stand-ins.
    init(_ flow: Flow, redactions: [Redaction] = []) {
        self.redactions = redactions
        started = flow.started
        for link in flow.links where Self.isMadeAnew(link) {
            for occurrence in [link.origin] + link.uses {
                learn(occurrence.value)
                learn(occurrence.rawValue)
            }
        }
        learnAnswers(flow)
        for step in flow.steps {
            for parameter in step.parameters.items where isMadeAnew(parameter.name) {
                learn(parameter.value)
            }
            for token in step.tokens {
                learn(token.token.text)
                for member in token.token.claims?.members ?? [] where isMadeAnew(member.name) {
                    if let text = member.value.string { learn(text) }
                }
            }
        }
    }

    /// What answers bring that nothing of the flow has used yet.
    private mutating func learnAnswers(_ flow: Flow) {
        for message in flow.messages {
            let answer: Answer? =
                switch message {
                case .token(let request): request.answer
                case .deviceAuthorization(let call), .backchannelAuthentication(let call),
                    .pushedRequest(let call):
                    call.answer
                default: nil
                }
            for parameter in answer?.parameters.items ?? [] where isMadeAnew(parameter.name) {
                learn(parameter.value)
            }
        }
    }

    private func isMadeAnew(_ name: String) -> Bool {
        VolatileNames.isVolatile(name) || redactions.contains { $0.concerns(name) }
    }

    private mutating func learn(_ value: String) {
        guard value.utf8.count >= 4, value.utf8.count < 1 << 20, values.insert(value).inserted else { return }
        if (8...128).contains(value.utf8.count), pieces.count < Self.pieceLimit { pieces.append(value) }
    }

    /// A client's own constants are linked, too: its id and secret, unless this flow registered it.
    private static func isMadeAnew(_ link: Link) -> Bool {
        if VolatileNames.isConfiguration(link.name) {
            return link.origin.place.part == .responseBody
        }
        return true
    }

    /// Whether this very value was made for this flow.
    func contains(_ value: String) -> Bool { values.contains(value) }

    /// Whether a value names a moment near this flow.
    func isNearby(_ value: String) -> Bool {
        guard let time = ValueShape.time(value) else { return false }
        return abs(time.seconds - started.seconds) < 400 * 86400
    }

    /// A value with everything in it that another run has anew replaced by a mark: what is left has to be the same.
    func skeleton(of value: String) -> String {
        guard value.utf8.count < 1 << 14 else { return value }
        var text = value
        // A URL inside a parameter of a URL is encoded once more.
        for _ in 0..<2 where text.utf8.contains(0x25) { text = PercentEncoding.decode(text) }
        return Self.replacingRuns(of: text, delimiter: Self.isDelimiter, by: mark)
    }

    /// One run of characters without a delimiter.
    private func mark(_ run: String) -> String {
        guard run.utf8.count >= 4 else { return run }
        if values.contains(run) || isNearby(run) { return Self.mark }
        // What is known goes before what only looks so: the same name has to give the same skeleton every time.
        let rest = withoutPieces(run)
        if rest != run { return rest }
        // A path is taken apart, for its parts are names; standard Base64 has slashes as well, and is not.
        if run.utf8.first != 0x2f, ValueShape.looksRandom(run) { return Self.mark }
        return Self.replacingRuns(of: run, delimiter: Self.isJoint) { part in
            part.utf8.count >= 4 && (values.contains(part) || isNearby(part) || ValueShape.looksRandom(part))
                ? Self.mark : part
        }
    }

    private static func replacingRuns(
        of text: String,
        delimiter: (UInt8) -> Bool,
        by replacement: (String) -> String
    ) -> String {
        var output = ""
        var start = text.utf8.startIndex
        for index in text.utf8.indices where delimiter(text.utf8[index]) {
            if start < index { output += replacement(String(text[start..<index])) }
            output += String(decoding: [text.utf8[index]], as: UTF8.self)
            start = text.utf8.index(after: index)
        }
        return start < text.utf8.endIndex ? output + replacement(String(text[start...])) : output
    }

    private func withoutPieces(_ run: String) -> String {
        guard run.utf8.count >= 8 else { return run }
        for piece in pieces where run.utf8.count > piece.utf8.count {
            if let range = run.utf8.firstRange(of: Array(piece.utf8)) {
                return String(run[..<range.lowerBound]) + Self.mark + String(run[range.upperBound...])
            }
        }
        return run
    }

    private static let mark = "…"

    /// What values are put together with.
    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x20, 0x22, 0x23, 0x26, 0x27, 0x28, 0x29, 0x2c, 0x3a, 0x3b, 0x3c, 0x3d, 0x3e, 0x3f, 0x7b, 0x7c,
            0x7d:
            true
        default: false
        }
    }

    /// What values are put together with that may also stand inside of one.
    private static func isJoint(_ byte: UInt8) -> Bool { byte == 0x2e || byte == 0x2f || byte == 0x2b }
}
