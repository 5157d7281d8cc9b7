/// What a person is told of a refusal in front of a server.
extension FrontRefusal {
    /// `server`: what the request was meant for: `provider`, `app`, `API`.
    func title(_ server: String) -> String {
        switch kind {
        case .block: "A firewall blocked the request before it reached the \(server)"
        case .challenge: "A check for bots stopped the request before it reached the \(server)"
        case .limit: "What stands in front of the \(server) throttles this client"
        case .credentials: "A proxy on the way to the \(server) asks for credentials of its own"
        case .size(let part): "The request's \(part.rawValue) is larger than the server takes"
        }
    }

    func explanation(_ server: String) -> String {
        let who = product ?? (kind == .limit ? "something in front of it" : "a firewall or a gateway")
        switch kind {
        case .block:
            return """
                The answer is not the \(server)'s own: it is one that \(who) gives in front of it when a rule of its does not let a request through. The \
                \(server) did not see this request, so its log has nothing of it, and nothing is known of what it would have said.
                """
        case .challenge:
            return """
                The answer is not the \(server)'s own: \(who) asks in front of it for proof of a person, which a browser's script or its user has to \
                give. An app, a server or a library cannot, and gets a page where it wants data.
                """
        case .limit:
            return """
                The answer is not the \(server)'s own: \(who) counts the requests of an address, and lets no more of them through until some time has passed.
                """
        case .credentials:
            return """
                The answer is not the \(server)'s own: a proxy between the two lets nothing through before it knows who uses it. The \
                \(server) did not see this request.
                """
        case .size(.body):
            return """
                The status says that the body of the request is larger than the server takes. Such a limit mostly is one of the web server or the gateway \
                in front, so the \(server) itself did not see the request.
                """
        case .size(.address):
            return """
                The status says that the address of the request is longer than the server takes. Such a limit mostly is one of the web server or the \
                gateway in front, so the \(server) itself did not see the request.
                """
        case .size(.header):
            return """
                The status says that the fields of the request's header are larger than the server takes. Such a limit mostly is one of the web server or \
                the gateway in front, so the \(server) itself did not see the request.
                """
        }
    }

    var fix: String {
        switch kind {
        case .block:
            """
            Give whoever runs the firewall the time of the request and the id that its page or header names, and ask for the rule that met and an \
            exception. Common reasons: the user agent of a library, or none; an address in a data centre or abroad; a URL, a JWT or a long value among \
            the parameters.
            """
        case .challenge:
            """
            Have the check leave out the addresses that programs ask: token, keys, metadata, UserInfo, pushed requests, callbacks. Where it stands before the \
            sign-in, open that in the system's browser, not in a web view or an HTTP client.
            """
        case .limit:
            """
            Wait as long as Retry-After says. Where many users or servers have one address, have whoever runs it count otherwise, or let that address pass.
            """
        case .credentials:
            """
            Give the program the proxy with its credentials (HTTPS_PROXY=http://NAME:PASSWORD@HOST:PORT, or its runtime's own setting), \
            have the proxy let this host pass, or name the host in NO_PROXY where it can be reached without one.
            """
        case .size(.body):
            """
            Look at the limit of each hop: client_max_body_size of nginx, LimitRequestBody of Apache, maxAllowedContentLength of IIS, rules of the \
            firewall. Where the body is small, the answer is of another server than the one that was meant.
            """
        case .size(.address):
            """
            Make the address shorter: push the request (RFC 9126) or send it as a POST, ask for fewer scopes and claims, keep what state holds at the app. \
            Or raise the limit: large_client_header_buffers of nginx, LimitRequestLine of Apache, maxUrl and maxQueryString of IIS.
            """
        case .size(.header):
            """
            Look at the largest field: cookies that pile up, a token with many groups or roles. Or raise the limit: large_client_header_buffers of nginx, \
            LimitRequestFieldSize of Apache, max-http-header-size and its like of application servers.
            """
        }
    }
}
