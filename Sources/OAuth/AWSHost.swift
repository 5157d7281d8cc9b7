/// The hosts of the services of AWS, by the domains that stand behind service and region.
///
/// Those of the second two answer by IPv4 and IPv6 ("dual stack").
enum AWSHost {
    static func isOne(_ host: String) -> Bool { domains.contains(where: host.hasSuffix) }

    private static let domains = [
        ".amazonaws.com", ".amazonaws.com.cn", ".api.aws", ".api.amazonwebservices.com.cn",
    ]
}
