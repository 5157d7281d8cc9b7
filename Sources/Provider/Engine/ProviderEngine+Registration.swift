import Captures
import JSON
import OAuth

/// Clients that register themselves, and come back to their registration (RFC 7591, RFC 7592).
extension ProviderEngine {
    mutating func register(_ request: RecordedRequest) -> BuiltAnswer {
        guard let sent = request.body?.bytes.flatMap({ try? JSONParser.parse($0) })?.object else {
            return refuse(.metadataInvalid, at: .registration)
        }
        let registration: ClientRegistrar.Registration
        do throws(Refusal) {
            registration = try ClientRegistrar(of: self).registered(sent)
        } catch {
            return refuse(error, at: .registration)
        }
        keep(registration)
        let template = dialect.registration?.answer ?? AnswerTemplate(status: 201)
        var answer = BuiltAnswer(like: template, role: .registration)
        answer.content = .object(registration.members)
        return answer
    }

    private mutating func keep(_ registration: ClientRegistrar.Registration) {
        state.registeredClients[registration.client.id] = registration.client
        state.registrations[registration.client.id] = registration.members
    }

    /// A client reads, changes or ends its registration (RFC 7592, section 2).
    mutating func manageRegistration(_ request: RecordedRequest) -> BuiltAnswer {
        let id =
            request.url.queryItems.first("client_id")
            ?? request.url.path.split(separator: "/").last.map(String.init) ?? ""
        guard let client = state.registeredClients[id], let token = client.registrationToken,
            BearerToken.of(request, exchange: 0)?.value == token
        else {
            return refuse(.tokenInvalid, at: .registration, headers: [("WWW-Authenticate", "Bearer")])
        }
        switch request.method {
        case "DELETE":
            state.registeredClients[id] = nil
            state.registrations[id] = nil
            return BuiltAnswer(204, role: .registration)
        case "PUT":
            guard let sent = request.body?.bytes.flatMap({ try? JSONParser.parse($0) })?.object else {
                return refuse(.metadataInvalid, at: .registration)
            }
            do throws(Refusal) {
                let known = ClientRegistrar.Registration(
                    client: client,
                    members: state.registrations[id] ?? JSONObject()
                )
                keep(try ClientRegistrar(of: self).updated(known, with: sent))
            } catch {
                return refuse(error, at: .registration)
            }
        default: break
        }
        return .json(state.registrations[id] ?? JSONObject(), role: .registration)
    }

    /// Whether a client registered here for other grants (RFC 7591, section 2); refresh tokens come with all of them.
    func isRegistered(_ client: ProviderConfiguration.Client, otherThanForGrant grant: String) -> Bool {
        guard dialect.registration == nil, grant != "refresh_token",
            let grants = state.registrations[client.id]?["grant_types"]?.array
        else { return false }
        return !grants.contains { $0.string == grant }
    }

    /// Whether a client registered here for other values of `response_type`, whose words have no order (OAuth 2.0 Multiple Response
    /// Types, section 3).
    func isRegistered(_ client: ProviderConfiguration.Client, otherThanForResponse types: Set<String>) -> Bool
    {
        guard dialect.registration == nil,
            let registered = state.registrations[client.id]?["response_types"]?.array
        else { return false }
        return !registered.contains {
            Set(($0.string ?? "").spaceDelimited) == types
        }
    }
}
