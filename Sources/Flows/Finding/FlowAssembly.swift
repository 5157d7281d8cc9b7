import Captures
import JOSE
import OAuth

/// Makes the flow of what was put together: steps, links, ending, provider.
struct FlowAssembly {
    let index: CaptureIndex
    let builder: FlowBuilder
    let id: String

    func flow() -> Flow {
        let position = index.position
        let exchanges = index.inOrder(builder.exchanges)
        let messages = builder.messages.enumerated().sorted {
            (position[$0.element.exchange], $0.offset) < (position[$1.element.exchange], $1.offset)
        }.map(\.element)
        let issuer = issuer(messages)
        return Flow(
            id: id,
            exchanges: exchanges,
            messages: messages,
            steps: StepBuilder(index: index, builder: builder, messages: messages).steps(position),
            links: LinkFinder.links(of: builder, in: index),
            ending: Ending(index: index, builder: builder, messages: messages).outcome,
            provider: provider(exchanges, issuer),
            issuer: issuer,
            clientID: builder.clientID,
            grant: builder.grant,
            started: exchanges.first.map { index.capture[$0].startedAt } ?? builder.startedAt,
            surroundings: index
        )
    }

    private func provider(_ exchanges: [Int], _ issuer: String?) -> ProviderKind {
        let sights = exchanges.compactMap { exchange -> ProviderRecognizer.Sight? in
            let recorded = index.capture[exchange]
            guard let host = recorded.request.url.host, !builder.isOfAppAlone(host) else { return nil }
            let cookies =
                recorded.request.cookies.map(\.name) + (recorded.response?.setCookies.map(\.name) ?? [])
            let url = recorded.request.url
            return ProviderRecognizer.Sight(
                host: host,
                path: url.path,
                query: url.query,
                cookies: cookies,
                location: recorded.response?.location.map { url.resolving($0) }
            )
        }
        // Of a login without redirects the provider may be known by its token alone.
        if sights.isEmpty, builder.grant == FlowGrouping.credential, let issuer {
            let host = RecordedURL(issuer).host ?? issuer
            return ProviderRecognizer.kind(ofHost: host) ?? .generic
        }
        return ProviderRecognizer.kind(of: sights)
    }

    /// Of the token that the browser or the system handed to the app.
    private func handedIssuer(_ response: AuthorizationResponse) -> String? {
        guard response.mode == .credential else { return nil }
        return response.parameters.parameter("id_token").flatMap { IDToken($0) }?.token.issuer
    }

    /// The issuer that the flow is with: where metadata of several were read, the one whose endpoints were used, and whose
    /// tokens came.
    private func issuer(_ messages: [OAuthMessage]) -> String? {
        let documents = messages.compactMap { message -> MetadataDocument? in
            guard case .discovery(let document) = message, !document.isProtectedResource,
                document.issuer != nil
            else { return nil }
            return document
        }
        let named = messages.compactMap { message -> String? in
            switch message {
            case .authorizationResponse(let response):
                response.parameter("iss")?.value ?? handedIssuer(response)
            case .token(let request): request.idToken?.token.issuer
            default: nil
            }
        }
        guard Set(documents.compactMap(\.issuer)).count > 1 else {
            return documents.first?.issuer ?? named.first
        }
        let urls = messages.map { index.capture[$0.exchange].request.url }
        let called = Dictionary(grouping: urls.map(EndpointAddress.init), by: \.place)
        let used = documents.filter { document in
            Endpoints.Role.allCases.contains { role in
                guard role != .keys, let url = document.endpoint(role.rawValue) else { return false }
                let named = EndpointAddress(RecordedURL(url))
                return called[named.place]?.contains(where: named.takes) ?? false
            }
        }.compactMap(\.issuer)
        return used.first(where: named.contains) ?? used.first ?? documents.first?.issuer
    }
}
