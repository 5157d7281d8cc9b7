import Captures
import JSON
import OAuth

/// Clients that register themselves, and come back to their registration (RFC 7591, RFC 7592).
extension ProviderEngine {
    mutating func register(_ request: RecordedRequest) -> BuiltAnswer {
        guard let sent = JSONBody.value(of: request.body)?.object else {
            return refuse(.metadataInvalid, at: .registration)
        }
        let registration: ClientRegistration
        do throws(Refusal) {
            registration = try ClientRegistrar(context).registered(sent)
        } catch {
            return refuse(error, at: .registration)
        }
        state.registrations[registration.client.id] = registration
        let template = dialect.registration?.answer ?? AnswerTemplate(status: 201)
        var answer = BuiltAnswer(like: template, role: .registration)
        answer.content = .object(registration.members)
        return answer
    }

    /// A client reads, changes or ends its registration (RFC 7592, section 2).
    mutating func manageRegistration(_ request: RecordedRequest) -> BuiltAnswer {
        let id =
            request.url.queryItems.first("client_id")
            ?? request.url.path.split(separator: "/").last.map(String.init) ?? ""
        guard var registration = state.registrations[id], let token = registration.client.registrationToken,
            BearerToken.of(request, exchange: 0)?.value == token
        else {
            return refuse(.tokenInvalid, at: .registration, headers: [("WWW-Authenticate", "Bearer")])
        }
        switch request.method {
        case "DELETE":
            state.registrations[id] = nil
            return BuiltAnswer(204, role: .registration)
        case "PUT":
            guard let sent = JSONBody.value(of: request.body)?.object else {
                return refuse(.metadataInvalid, at: .registration)
            }
            do throws(Refusal) {
                registration = try ClientRegistrar(context).updated(registration, with: sent)
            } catch {
                return refuse(error, at: .registration)
            }
            state.registrations[id] = registration
        default: break
        }
        return .json(registration.members, role: .registration)
    }
}
