import Flows
import OAuth

/// A scope that a provider refuses (RFC 6749, sections 4.1.2.1 and 5.2).
enum RefusedScope {
    /// The scopes that a refusal of another name speaks of in words of its own, and those that the metadata do not list; nil of one that names
    /// the fault, and of one that says nothing of a scope.
    static func evidence(of attempt: LoginAttempt, refused refusal: RequestRefusal, in flow: Flow)
        -> Evidence?
    {
        guard refusal.error == "invalid_request", AccessPolicy.words(in: refusal.text) == nil,
            RefusalWording.refusedScope(in: refusal.text) != nil
        else { return nil }
        return attempt.parameter("scope").map { asked($0, in: flow) } ?? attempt.missing("scope")
    }

    /// The scopes, with those that the provider's metadata does not list.
    static func asked(_ scope: Parameter, in flow: Flow) -> Evidence {
        let supported = Set(flow.serverMetadata.flatMap { $0.list("scopes_supported") ?? [] })
        let others = scope.value.spaceDelimited.filter { !supported.contains($0) }
        let isListed = supported.isEmpty || others.isEmpty
        return Evidence(
            scope,
            note: isListed
                ? nil
                : "not in scopes_supported: \(Excerpt.start(of: others.prefix(12).joined(separator: ", ")))"
        )
    }

    // MARK: - Words

    static let ofRequest = Violation.Words(
        title: "The provider says that it does not take the scope",
        explanation: explanation,
        fix: fix
    )

    static let explanation = """
        The provider does not take the scope that was asked for, by the error invalid_scope or in words of its own: one of the scopes does \
        not exist there, is not enabled for this client, or does not go together with the others.
        """
    static let fix = """
        Take the scope out, or have it enabled for the client. With Entra name a scope of one resource only, in full (api://…/access), \
        and do not mix resources.
        """
}
