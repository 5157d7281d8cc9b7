import Captures
import Flows
import JSON
import OAuth

/// Where Supabase Auth, which signs in at another provider in an app's name, sent the browser after that: its Site URL takes the place of
/// an address that is not on its list.
enum GoTrueRedirect {
    /// That the last login of a flow did not end at the origin that it was begun for; nil where its code was exchanged all the same.
    static func violation(in flow: Flow) -> Violation? {
        guard let login = flow.logins.last, let callback = login.response?.callback,
            let beginning = flow.surroundings.redirectedFrom[login.request.exchange],
            !flow.tokenRequests.contains(where: \.answer.isSuccess),
            let asked = address(askedBy: beginning, answeredAt: callback, flow),
            case let answered = flow.capture[callback],
            let location = answered.response?.location
        else { return nil }
        let wanted = RecordedURL(asked.value)
        let reached = answered.request.url.resolving(location)
        let code = reached.queryItems.items.first { $0.name == "code" && !$0.value.isEmpty }?.value
        guard code != nil || reached.fragmentItems.items.contains(where: { $0.name == "access_token" }),
            let origin = root(of: wanted), let other = root(of: reached), origin != other,
            !isTaken(behind: callback, flow), !isHandedOn(code, to: origin, behind: callback, flow)
        else { return nil }
        let shown = Evidence(
            place: Place(exchange: callback, part: .responseLocation, name: ""),
            value: Masking.shown(reached.withoutQuery, of: "location"),
            note: "the browser was sent here"
        )
        // Tokens may be taken at the other address as well, the code at that alone where its verifier is kept.
        let isLocal = [wanted, reached].filter(\.isOnLoopback).count == 1
        return Violation(
            [Evidence(asked), shown],
            severity: code != nil || isLocal ? .error : .warning,
            explanation: explanation,
            fix: fix,
            title: "Supabase sent the browser to its Site URL instead of the address asked for",
            exchange: callback
        )
    }

    /// The `redirect_to` of a request that began a login here which the same server was answered for, by whichever of its names: a project
    /// with a domain of its own is asked at its first one as well, and has the provider answer at its own.
    private static func address(askedBy beginning: Int, answeredAt callback: Int, _ flow: Flow) -> Parameter?
    {
        let begun = flow.capture[beginning].request.url
        let answered = flow.capture[callback].request.url
        let endpoint = "/authorize"
        guard begun.path.hasSuffix(endpoint),
            answered.path.equalsBytes(of: begun.path.dropLast(endpoint.count) + "/callback")
        else { return nil }
        let parameters = Parameters(begun.queryItems, of: beginning, in: .requestQuery)
        guard parameters.contains("provider") else { return nil }
        return parameters.parameter("redirect_to")
    }

    /// Whether a server at the other address took the code, and set its library's cookie for the session (`sb-…-auth-token`): the verifier's
    /// may be one of all names of the site.
    private static func isTaken(behind callback: Int, _ flow: Flow) -> Bool {
        hops(behind: callback, flow).contains { landing in
            guard let response = flow.capture[landing].response else { return false }
            // Its cookies may have been taken out of the capture.
            if response.location != nil, flow.surroundings.isSanitized(at: landing) { return true }
            return response.setCookies.contains {
                $0.name.containsBytes("auth-token") && !$0.name.containsBytes("code-verifier")
                    && !$0.value.isEmpty
            }
        }
    }

    /// Whether the Site URL sends its visitors on to the origin that the login was begun for, as one in clear or with `www.` before its
    /// name does: by redirects, which keep the fragment, or by a page that passes the code.
    private static func isHandedOn(_ code: String?, to origin: String, behind callback: Int, _ flow: Flow)
        -> Bool
    {
        guard let code else {
            return hops(behind: callback, flow).contains { root(of: flow.capture[$0].request.url) == origin }
        }
        return flow.exchanges(after: callback, within: .seconds(60)).contains { later in
            let url = flow.capture[later].request.url
            return root(of: url) == origin
                && url.queryItems.items.contains { $0.name == "code" && $0.value == code }
        }
    }

    /// Where redirects led behind a callback, the first next.
    private static func hops(behind callback: Int, _ flow: Flow) -> [Int] {
        var hops: [Int] = []
        var last = [callback]
        while hops.count < mostHops, !last.isEmpty {
            last = last.flatMap { flow.surroundings.landings(of: $0) }
            hops += last
        }
        return hops
    }

    private static let mostHops = 10

    /// The origin, or the scheme of an app's own; nil for what is no whole address.
    private static func root(of url: RecordedURL) -> String? {
        if url.isWeb { return url.origin }
        guard let end = url.text.firstIndex(of: ":") else { return nil }
        return url.text[..<end].lowercased()
    }

    private static let explanation = """
        The login was begun for one address (redirect_to), and when it was done the server sent the browser to another origin. That is what Supabase Auth does with an address that is not \
        on its list: it takes the Site URL, and says nothing. The app waits at the address that it asked for; a code is no use at another origin, where its code verifier is not kept.
        """
    private static let fix = """
        Add the address to the Redirect URLs of the project (Authentication, URL Configuration; GOTRUE_URI_ALLOW_LIST for a server of one's own), with scheme, port and path: * stands for \
        anything but dots and slashes, ** for anything, so that previews are https://*-team.example.com/**. See that redirectTo is what the app really runs at.
        """
}
