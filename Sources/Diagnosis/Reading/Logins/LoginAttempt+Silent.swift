import Captures
import Flows
import OAuth

extension LoginAttempt {
    /// Why a silent request came to nothing, where the provider said so: at the redirect URI, on a page of its own, or in
    /// a page that posts it to the app's window (OpenID Connect Core, section 3.1.2.6).
    func silentRefusal(in flow: Flow) -> Evidence? {
        if let refusal, let error = refusal.error, PostedMessage.silentErrors.contains(error) {
            return refusal.evidence()
        }
        guard self["response_mode"].map(PostedMessage.modes.contains) ?? false, let page = pages.last else {
            return nil
        }
        return PostedMessage.silentError(on: flow.capture[page]).map { error in
            Evidence(place: Place(exchange: page, part: .responseBody, name: "error"), value: error)
        }
    }
}
