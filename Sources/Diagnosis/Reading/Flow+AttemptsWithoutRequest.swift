import Flows
import OAuth

extension Flow {
    /// Logins that began before the recording: attempts of which nothing but the answer is known.
    ///
    /// None where the flow has a request.
    var attemptsWithoutRequest: [LoginAttempt] {
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
