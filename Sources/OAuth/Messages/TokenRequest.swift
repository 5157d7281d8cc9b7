package import Captures
import JOSE
import JSON

/// A request to the token endpoint with its answer (RFC 6749, sections 4.1.3, 5 and 6).
package struct TokenRequest: Sendable {
    private struct Members: Sendable {
        var exchange: Int
        var endpoint: RecordedURL
        var parameters: Parameters
        var authentication: ClientAuthentication
        var answer: Answer
        var startedAt: Timestamp
    }

    @Shared private var members: Members

    package var exchange: Int { members.exchange }
    package var endpoint: RecordedURL { members.endpoint }
    package var parameters: Parameters { members.parameters }
    package var authentication: ClientAuthentication { members.authentication }
    package var answer: Answer { members.answer }
    package var startedAt: Timestamp { members.startedAt }

    /// `endpoint`: nil where no query belongs to it.
    package init(
        exchange: Int,
        request: RecordedRequest,
        endpoint: RecordedURL? = nil,
        parameters: Parameters,
        answer: Answer,
        startedAt: Timestamp
    ) {
        members = Members(
            exchange: exchange,
            endpoint: endpoint ?? RecordedURL(request.url.withoutQuery),
            parameters: parameters,
            authentication: ClientAuthentication(of: request, exchange: exchange, parameters: parameters),
            answer: answer,
            startedAt: startedAt
        )
    }

    /// `authorization_code` where none is named and a code is sent, as GitHub's endpoint wants it.
    package var grantType: String { parameters["grant_type"] ?? (code == nil ? "" : "authorization_code") }
    package var code: String? { parameters["code"] }
    package var redirectURI: String? { parameters["redirect_uri"] }
    package var codeVerifier: String? { parameters["code_verifier"] }
    package var refreshToken: String? { parameters["refresh_token"] }
    package var clientID: String? { authentication.clientID?.value }
    /// A token that is exchanged for another one: RFC 8693, section 2.1, and WSO2's switch of organizations.
    package var exchangedToken: String? {
        parameters["subject_token"] ?? (grantType == "organization_switch" ? parameters["token"] : nil)
    }
    /// What a step of a sign-in at the token endpoint goes on with: Auth0's and Okta's second step, and Entra's native
    /// authentication.
    package var continuation: String? {
        Self.continuations.lazy.compactMap { parameters[$0] }.first { !$0.isEmpty }
    }
    /// What the next step may go on with, where there is one.
    package var nextContinuation: String? {
        Self.continuations.lazy.compactMap { answer.parameters[$0] }.first { !$0.isEmpty }
    }
    private static let continuations = ["continuation_token", "mfa_token"]
    package var isRefresh: Bool { grantType == "refresh_token" }
    package var isCodeExchange: Bool { grantType == "authorization_code" }

    // MARK: - The answer

    package var accessToken: String? { answer.parameters["access_token"] }
    package var issuedRefreshToken: String? { answer.parameters["refresh_token"] }
    package var idToken: IDToken? {
        answer.parameters.parameter("id_token").flatMap { IDToken($0) }
    }
}
