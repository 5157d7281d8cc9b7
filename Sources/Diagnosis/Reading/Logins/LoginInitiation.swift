import Captures
import Flows
import OAuth

/// A request by which another party than the app has a login begun at the app (OpenID Connect Core, section 4): a portal with tiles, a
/// learning platform that launches a tool (1EdTech Security Framework, section 5.1.1).
struct LoginInitiation {
    /// Of the query and the form.
    var parameters: Parameters

    /// The one that an authorization request followed on, ten minutes before it at most; nil where the capture has none.
    static func before(_ attempt: LoginAttempt, in flow: Flow) -> LoginInitiation? {
        let endpoint = attempt.request?.endpoint.host
        for index in flow.exchanges(before: attempt.exchange, within: .seconds(600)) {
            let request = flow.capture[index].request
            guard request.url.host != endpoint else { continue }
            var parameters = Parameters(request.url.queryItems, of: index, in: .requestQuery)
            if let form = FormBody.items(of: request.body) {
                parameters.items += Parameters(form, of: index, in: .requestBody).items
            }
            guard parameters["iss"] != nil,
                parameters["target_link_uri"] ?? parameters["login_hint"] != nil,
                ["code", "id_token", "error", "response_type"].allSatisfy({ parameters[$0] == nil })
            else { continue }
            return LoginInitiation(parameters: parameters)
        }
        return nil
    }
}
