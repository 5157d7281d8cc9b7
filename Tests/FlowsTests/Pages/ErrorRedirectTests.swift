import Captures
import Flows
import Testing

struct ErrorRedirectTests {
    @Test(arguments: [
        "https://shop.example/login?error=access_denied", "https://shop.example/login?error",
        "https://shop.example/wp-login.php?login-error=invalid-state&message=Invalid+state.",
        "https://shop.example/admin/login?reason=INVALID_CREDENTIALS", "https://shop.example/?login=failed",
        "https://shop.example/?notice=auth-error", "https://shop.example/login/sso?reason=user_not_found",
        "https://shop.example/error?message=Invalid+state+token",
        "https://shop.example/#/login?errorMsg=denied",
        "https://shop.example/web/login?oauth_error=3", "https://shop.example/auth/failure?message=csrf",
        "https://shop.example/omniauth/failure?message=csrf_detected&strategy=oidc",
        "https://shop.example/linked?link_error=identity_provider_already_linked",
    ])
    func failureIsNamed(url: String) { #expect(ErrorRedirect.parameter(of: RecordedURL(url)) != nil) }

    @Test(arguments: [
        "https://shop.example/", "https://shop.example/?error=", "https://shop.example/?reason=signed_in",
        "https://shop.example/?notice=payment-failed", "https://shop.example/logs/error?message=invalid",
        "https://shop.example/home?login=alice", "https://shop.example/?notice=welcome",
        "https://shop.example/orders?message=Invalid+coupon", "https://shop.example/?auth=ok",
    ])
    func otherPagesAreNone(url: String) { #expect(ErrorRedirect.parameter(of: RecordedURL(url)) == nil) }

    @Test(arguments: [
        ("login_error=2f6b; Path=/", true), ("login_error=; Path=/; Max-Age=0", false),
        ("login_error=deleted; Expires=Thu, 01 Jan 1970 00:00:01 GMT", false), ("oauth_error=none", false),
        ("oauth-error=denied", true), ("session=2f6b; Path=/", false),
        // A browser looks at the age alone where there is one (RFC 6265, section 5.3).
        ("login_error=2f6b; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:01 GMT", true),
    ])
    func errorMayBeHandedOnInACookie(cookie: String, isOne: Bool) {
        var response = RecordedResponse(status: 302)
        response.headers.append("Location", "/login")
        response.headers.append("Set-Cookie", cookie)
        #expect((ErrorRedirect.cookie(of: response, at: Timestamp(seconds: 1_780_000_000)) != nil) == isOne)
    }
}
