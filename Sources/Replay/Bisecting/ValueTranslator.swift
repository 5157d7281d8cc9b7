import Captures
import Flows
import JOSE
import JSON
import OAuth

/// Says a value of one flow as the other one would have sent it: a code of the one is the code of the other, a
/// `state` its `state`, however it was respelled on the way.
struct ValueTranslator {
    private let good: Flow
    private let bad: Flow
    private var values = RunValues()

    /// `counterparts`: exchanges of the two flows that are the same step.
    init(_ good: Flow, _ bad: ReplayPlan, counterparts: [(good: Int, bad: Int)]) {
        self.good = good
        self.bad = bad.flow
        // A scope that a token answer names was the client's word before.
        let known = bad.steps.flatMap(\.parameters).reduce(into: Set<String>()) { known, parameter in
            switch parameter.source {
            case .literal, .secret, .generated: known.insert(parameter.value)
            case .issued, .form: break
            }
        }
        let bad = bad.flow
        for (mine, theirs) in counterparts {
            let issued = IssuedValues(of: bad.capture[theirs], at: theirs) { value, _ in
                !known.contains(value)
            }
            issued.bind(to: good.capture[mine], in: &values)
        }
        for (mine, theirs) in zip(good.logins, bad.logins) {
            guard let own = mine.response, let other = theirs.response else { continue }
            for parameter in other.parameters.items
            where !parameter.value.isEmpty && !known.contains(parameter.value) {
                if let value = own.parameters[parameter.name], !value.isEmpty {
                    values.bind(parameter.value, to: value)
                }
            }
        }
    }

    /// Takes two values for the same one from now on: each flow made its own.
    mutating func bind(_ theirs: String, to mine: String) { values.bind(theirs, to: mine) }

    func translated(_ text: String) -> String { values.replacing(in: text) }

    /// A token with its claims translated, and its times as far from the one request as they were from the other.
    func translated(_ token: JSONWebToken, from theirs: Int, to mine: Int) -> JSONWebToken? {
        guard token.form == .signed, let header = token.header, var claims = token.claims else { return nil }
        let shift = good.capture[mine].startedAt.seconds - bad.capture[theirs].startedAt.seconds
        claims.members = claims.members.map { member in
            var member = member
            if ["exp", "iat", "nbf"].contains(member.name), let time = member.value.number?.int,
                time.magnitude < 1 << 40
            {
                member.value = JSONValue(time + shift)
            } else {
                member.value = ProofMaker.replaced(member.value, translated)
            }
            return member
        }
        let parts = [header, claims].map { Base64URL.encode(JSONWriter.bytes(of: .object($0))) }
        return JSONWebToken.parse((parts + [Base64URL.encode(token.signature)]).joined(separator: "."))
    }

    /// A request of the failing flow as the other flow would have sent it at the time of an exchange of its own.
    func translated(_ request: RecordedRequest, from theirs: Int, to mine: Int) -> RecordedRequest {
        var editor = RequestEditor(request)
        var numbers: [String: Int] = [:]
        for item in editor.items {
            let number = numbers[item.name, default: 0]
            numbers[item.name] = number + 1
            let value =
                JSONWebToken.parse(item.value).flatMap { translated($0, from: theirs, to: mine)?.text }
                ?? translated(item.value)
            if value != item.value { editor.set(item.name, number, to: value, isInBody: item.isInBody) }
        }
        for field in request.headers.fields where !HeaderRules.isLeftOut(field) {
            let value =
                field.name.equalsIgnoringASCIICase("dpop")
                ? JSONWebToken.parse(field.value).flatMap { translated($0, from: theirs, to: mine)?.text }
                : nil
            let other = value ?? translated(field.value)
            if other != field.value { editor.setHeader(field.name, to: [other]) }
        }
        return editor.request
    }
}
