import Captures

/// A logout token on its way to a client (OpenID Connect Back-Channel Logout, section 2.5).
struct LogoutNotice {
    var address: String
    var token: UnsignedToken
}

extension AnswerRenderer {
    func request(of notice: LogoutNotice) -> ProviderNotice {
        let form = FormBody.encode([("logout_token", signed(notice.token))])
        let headers = HeaderFields([("Content-Type", FormBody.mediaType), ("Accept", "*/*")])
        let url = RecordedURL(notice.address)
        return ProviderNotice(
            request: RecordedRequest(
                method: "POST",
                url: url,
                headers: headers,
                body: Body(text: form, mediaType: FormBody.mediaType)
            )
        )
    }
}
