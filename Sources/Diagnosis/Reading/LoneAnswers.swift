import Flows
import OAuth

extension Flow {
    /// The answers of logins that began before the recording, each an attempt of which nothing else is known.
    ///
    /// None where the flow has a request.
    var loneAnswers: [LoginAttempt] {
        guard authorizationRequests.isEmpty else { return [] }
        return authorizationResponses.filter { $0.mode != .credential }.map { response in
            LoginAttempt(
                exchange: response.exchange,
                parameters: Parameters(),
                ownParameters: Parameters(),
                response: response,
                refusal: RequestRefusal(delivered: response)
            )
        }
    }
}
