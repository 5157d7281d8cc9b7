import Captures
import Flows
import JSON
import OAuth

/// The word by which a provider ended a sign-in that never came back to the app: it had run out, the account is closed, a
/// restart is offered.
///
/// A form that comes again with a message is no end, nor is a wrong password answered to the page's script.
enum SignInEnd {
    /// `pages`: the provider's, in order of time, the authorization request first.
    static func refusal(on pages: [Int], in flow: Flow) -> RequestRefusal? {
        guard flow.ending == .incomplete, !flow.capture.isCutShort else { return nil }
        return lastPage(of: pages, flow) ?? lastCall(of: pages, flow)
    }

    /// That of the authorization endpoint itself, where the sign-in came back to its address: some look at a request only when
    /// they know who asks.
    static func refusal(byEndpointOf request: AuthorizationRequest, in flow: Flow) -> RequestRefusal? {
        guard flow.ending == .incomplete, !flow.capture.isCutShort,
            let refusal = lastPage(of: ProviderPages.of(request, in: flow), flow)
        else { return nil }
        return request.endpoint.isEndpoint(flow.capture[refusal.exchange].request.url) ? refusal : nil
    }

    /// The page after which nothing came, where it refuses and leaves nothing to fill in.
    private static func lastPage(of pages: [Int], _ flow: Flow) -> RequestRefusal? {
        guard let last = pages.dropFirst().last(where: { isDocument($0, flow) }),
            let response = flow.capture[last].response, let page = response.body?.bytes,
            response.status == 200 || response.isClientError,
            ![401, 404, 429].contains(response.status),
            let refusal = flow.refusal(on: [last], redirectURI: nil), !refusal.text.isEmpty,
            !HTMLForm.isAsking(in: page)
        else { return nil }
        let url = flow.capture[last].request.url
        // A sign-in page made by script may have an error in its address, and a form in the end.
        let isEnd =
            response.status >= 400 || refusal.place.part == .responseBody || ErrorPage.isAddress(url)
            || flow.surroundings.page(last)?.errorHeading != nil
        return isEnd ? refusal : nil
    }

    private static func isDocument(_ index: Int, _ flow: Flow) -> Bool {
        let response = flow.capture[index].response
        return response?.location != nil || response?.body?.isPage ?? false
            || isRefusedNavigation(index, flow)
    }

    /// Whether the browser was to show what it got, and got an error that is no page (Spring's JSON): nobody's script reads it.
    static func isRefusedNavigation(_ index: Int, _ flow: Flow) -> Bool {
        let exchange = flow.capture[index]
        guard let response = exchange.response, response.isClientError,
            !(response.body?.isPage ?? false)
        else { return false }
        let headers = exchange.request.headers
        // A frame's is not the page that the user sees.
        guard ["document", nil].contains(headers.first("sec-fetch-dest")?.lowercased()) else { return false }
        return headers.first("sec-fetch-mode").map { $0.lowercased() == "navigate" }
            ?? (headers.first("accept")?.containsBytes("text/html") ?? false)
    }

    /// The answer that ended a sign-in made by script or by the app itself, at the API of ForgeRock, WSO2 or Curity.
    ///
    /// What its page begins anew by itself, and nobody filled in, is no other try.
    private static func lastCall(of pages: [Int], _ flow: Flow) -> RequestRefusal? {
        if let last = pages.last, let refusal = NativeSignIn.refusal(at: last, in: flow) { return refusal }
        for page in pages.reversed() {
            let exchange = flow.capture[page]
            guard ForgeRockStep.isOne(exchange), let response = exchange.response else { continue }
            if response.isClientError, response.status != 429 {
                return NativeSignIn.refusal(ofStep: page, in: flow)
            }
            guard !ForgeRockSignIn.isContinued(by: exchange.request) else { return nil }
        }
        return nil
    }
}
