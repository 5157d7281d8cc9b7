import Captures
import Flows

/// A callback that a platform answers in front of the app, which it signs users in for.
///
/// Known by an address that the platform has for this alone; none of its own requests is in a capture, and its pages say nothing.
enum ManagedCallback {
    /// AWS's Application Load Balancer.
    case loadBalancer
    /// Azure App Service, Functions and Static Web Apps (Easy Auth).
    case easyAuth

    /// Nil where the app itself answers, or the platform took the answer.
    init?(_ callback: RejectedCallback, in flow: Flow) {
        let exchange = flow.capture[callback.exchange]
        guard callback.place == callback.exchange, let answer = exchange.response, answer.status >= 400 else {
            return nil
        }
        let path = exchange.request.url.path.asciiLowercased()
        if path.hasSuffix("/oauth2/idpresponse"),
            answer.headers.first("server")?.asciiLowercased().hasPrefix("awselb/") ?? (answer.status == 561)
        {
            self = .loadBalancer
        } else if path.hasPrefix("/.auth/login/"), path.hasSuffix("/callback") {
            self = .easyAuth
        } else {
            return nil
        }
    }

    var explanation: String {
        """
        What answers at the redirect URI is \(name), which signs users in in front of the app. It got the provider's answer and could not go on with it: the exchange of the code, UserInfo or the token did not \
        pass. Its requests are in no capture that was made elsewhere.
        """
    }

    private var name: String {
        switch self {
        case .loadBalancer: "AWS's load balancer"
        case .easyAuth: "Azure's own sign-in (App Service, Functions, Static Web Apps)"
        }
    }

    var fix: String {
        switch self {
        case .loadBalancer:
            """
            500: it does not reach token endpoint or UserInfo, which it looks up in public DNS and asks by IPv4 at port 443 (outbound rule of its security group, network ACL, NAT). 401: issuer, endpoints, client id \
            or secret are not those of the provider, or its cookie AWSALBAuthNonce did not come. 561: the provider answered it with an error. Its access log names the reason (error_reason, Auth…).
            """
        case .easyAuth:
            """
            Compare its settings with the registration: the client secret's value and when it runs out; the issuer as the tokens have it (Entra: https://login.microsoftonline.com/TENANT/v2.0, or \
            https://sts.windows.net/TENANT/ for tokens of version 1; B2C: the address of the policy's metadata); allowed audiences and tenants. Have ID tokens switched on in the registration. 403 is about \
            whom its authorization policy lets in. The platform's own log has the reason.
            """
        }
    }
}
