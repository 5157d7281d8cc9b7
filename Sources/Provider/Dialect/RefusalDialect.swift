import Captures
import Flows
import JSON
import OAuth

/// In which words a provider refuses: those of the recording, else those its product is known for, else those of
/// the specification.
struct RefusalDialect: Sendable {
    /// Where a refusal was recorded.
    private struct Key: Hashable {
        var role: Endpoints.Role?
        var refusal: Refusal
    }

    private var recorded: [Key: AnswerTemplate] = [:]
    /// By error code, whatever the reason was.
    private var codes: [Endpoints.Role: [String: AnswerTemplate]] = [:]
    private var kind: ProviderKind = .generic

    init() {}

    init(kind: ProviderKind) { self.kind = kind }

    /// Keeps how a refusal was said; the first one counts.
    mutating func learn(_ answer: AnswerTemplate, of refusal: Refusal, at role: Endpoints.Role) {
        let key = Key(role: role, refusal: refusal)
        if recorded[key] == nil { recorded[key] = answer }
    }

    /// Keeps how an error code was said, whatever the reason.
    mutating func learn(_ answer: AnswerTemplate, code: String, at role: Endpoints.Role) {
        if codes[role]?[code] == nil { codes[role, default: [:]][code] = answer }
    }

    /// The answer of an endpoint that speaks JSON.
    func answer(to refusal: Refusal, at role: Endpoints.Role) -> AnswerTemplate {
        if let answer = recorded[Key(role: role, refusal: refusal)] { return answer }
        let standard = refusal.standard
        let known = ProviderWording.of(refusal, kind)
        let error = known?.error ?? standard.error
        if var answer = codes[role]?[error] {
            // The words belong to the reason that was recorded.
            if answer.members?["error_description"] != nil {
                answer.members?["error_description"] = .string(known?.description ?? standard.description)
            }
            return answer
        }
        var members: JSONObject = ["error": .string(error)]
        let description = known == nil ? standard.description : known?.description
        if let description { members["error_description"] = .string(description) }
        return AnswerTemplate(status: known?.status ?? standard.status, members: members)
    }

    /// Whether an endpoint was seen to refuse for this reason.
    func hasSeen(_ refusal: Refusal, at role: Endpoints.Role) -> Bool {
        recorded[Key(role: role, refusal: refusal)] != nil
    }

    /// Error and description as the authorization endpoint tells them to a client.
    func parameters(of refusal: Refusal) -> [(String, String)] {
        if let answer = recorded[Key(role: .authorization, refusal: refusal)], let members = answer.members {
            return members.members.compactMap { member in member.value.string.map { (member.name, $0) } }
        }
        let known = ProviderWording.of(refusal, kind)
        let standard = refusal.standard
        let description = known == nil ? standard.description : known?.description
        return [("error", known?.error ?? standard.error)]
            + (description.map { [("error_description", $0)] } ?? [])
    }

    /// The page on which the authorization endpoint refuses; nil where none was recorded.
    func page(of refusal: Refusal) -> AnswerTemplate? {
        recorded[Key(role: .authorization, refusal: refusal)].flatMap { $0.status < 400 ? nil : $0 }
    }
}
