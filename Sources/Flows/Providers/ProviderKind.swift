/// Which provider's product (or service) answers; raw values are those of the JSON.
package enum ProviderKind: String, Sendable, Hashable, CaseIterable {
    case myinfo
    case singpass
    case google
    case apple
    case github
    case entra
    case okta
    case auth0
    case cognito
    case forgerock
    case keycloak
    case ping
    case wso2
    case curity
    case glewlwyd
    case lemonldap
    case generic
}
