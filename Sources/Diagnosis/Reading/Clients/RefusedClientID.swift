import Captures
import Flows
import OAuth

/// The first word of a flow's provider that it does not know the client.
struct RefusedClientID: Sendable {
    enum Saying: Sendable {
        /// By the name of an error, or in words, which then stand here.
        case atLogin(LoginAttempt, RequestRefusal, String?)
        /// Where a device asked for its code, which has no page.
        case toClient(ClientCall, Parameter)
    }

    /// Nil where it is not said.
    private(set) var saying: Saying?
    /// Whether the words of a refusal are not in the capture, among which it may have been.
    private(set) var isPageUnseen = false

    init(in flow: Flow) { self = flow.derived.value { RefusedClientID(reading: flow) } }

    private init(reading flow: Flow) {
        saying = atLogins(of: flow)
        saying = saying ?? Self.toClient(in: flow)
    }

    private mutating func atLogins(of flow: Flow) -> Saying? {
        for attempt in flow.loginAttempts {
            guard attempt.request != nil, let refusal = attempt.refusal, refusal.isOfTheRequest,
                // Whom it answers so at the redirect URI it knows (RFC 6749, section 4.1.2.1).
                refusal.channel != .delivered || refusal.error != "unauthorized_client",
                // Known, and shut out.
                AccessPolicy.words(in: refusal.text) == nil,
                // Of the provider itself, at the one behind it.
                refusal.channel != .delivered || BrokeredError(in: refusal.text) == nil
            else { continue }
            let words = refusal.channel == .page ? RefusalWording.unknownClient(in: refusal.text) : nil
            if Self.isSaid(by: refusal, of: attempt) || words != nil {
                return .atLogin(attempt, refusal, words)
            }
            if !refusal.isTextRecorded { isPageUnseen = true }
        }
        return nil
    }

    /// At the token endpoint it is the refusal of the client that tells it (``ClientCall/isSaidToBeUnknown``).
    private static func toClient(in flow: Flow) -> Saying? {
        for call in ClientCall.all(in: flow)
        where call.kind == .deviceAuthorization && call.answer.isRefusal && !call.isRepaired {
            guard call.answer.error?.error != "invalid_client",
                ClientIDRefusal.texts.contains(where: call.answer.errorText.containsBytes),
                let client = call.authentication.clientID
            else { continue }
            return .toClient(call, client)
        }
        return nil
    }

    /// By the name of the error, or in words that no other refusal has.
    private static func isSaid(by refusal: RequestRefusal, of attempt: LoginAttempt) -> Bool {
        if ClientDocument.isRefused(attempt["client_id"], refusal.error, refusal.text)
            || refusal.says(ClientIDRefusal.texts)
        {
            return true
        }
        guard refusal.channel == .page else { return false }
        if ClientIDRefusal.isAllThatIsSaid(of: refusal.text) { return true }
        // Spotify calls a redirect URI that it does not know, or not take, by the same name.
        guard RefusalWording.unknownRedirectURI(in: refusal.text) == nil else { return false }
        let isForgeRocks = refusal.says(["invalid_client"]) && refusal.status != 200
        return refusal.error == "invalid_client" || isForgeRocks
    }
}
