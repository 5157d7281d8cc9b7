/// Stage 2, in the order of the catalogue.
enum DiscoveryRules {
    static let list: [any Rule] = [
        DiscoveryUnreachable(),
        DiscoveryNotJSON(),
        DiscoveryIssuerMismatch(),
        DiscoveryMissingEndpoint(),
        DiscoveryEndpointInsecure(),
        JWKSUnreachable(),
        JWKSPrivateKeyExposed(),
        ResourceMetadataMismatch(),
        ResourceMetadataMissing(),
        AuthorizationServerNotListed(),
    ]
}
