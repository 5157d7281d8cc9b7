/// Stage 5, in the order of the catalogue.
enum UserAgentRules {
    static let list: [any Rule] = [
        EmbeddedUserAgent(),
        CookieSamesiteFormPost(),
        CookieSamesiteStrict(),
        CookieSamesiteNoneInsecure(),
        CookieSecureOverHTTP(),
        CookieHostMismatch(),
        CookiePathMismatch(),
        StateCookieLost(),
        CookiesTooLarge(),
        RedirectLoop(),
        ProxySchemeDowngrade(),
        CallbackUnreachable(),
        CallbackRejectedByApp(),
        ProviderSessionCookieMissing(),
        SilentLoginCookiesBlocked(),
        SessionCookieNotPersistent(),
    ]
}
