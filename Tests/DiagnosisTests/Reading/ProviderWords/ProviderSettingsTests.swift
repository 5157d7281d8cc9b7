import DiagnosisTestSupport
import Flows
import TestSupport
import Testing

@testable import Diagnosis

struct ProviderSettingsTests {
    @Test func isOfRulesThatThereAre() {
        let rules = Set(RuleCatalog.rules.map { type(of: $0).info.id })
        for (rule, sentences) in ProviderSettings.table {
            #expect(rules.contains(rule), "\(rule)")
            for (provider, sentence) in sentences {
                #expect(sentence.hasSuffix(".") && !sentence.contains("\n"), "\(rule) \(provider)")
            }
        }
    }

    /// Behind the rule's own advice, and at a provider that nobody knows that alone.
    @Test(arguments: [
        ("https://am.corp.example/am/oauth2/realms/root/realms/alpha/authorize", "Scope(s)"),
        ("https://login.corp.example/oauth/v2/oauth-authorize", "At Curity"),
        ("https://id.harbour.example/authorize", ""),
    ])
    func namesTheSetting(endpoint: String, words: String) throws {
        var capture = CaptureBuilder()
        capture.redirect(
            "\(endpoint)?client_id=shop-app&response_type=code&redirect_uri=com.shop.app%3A%2Fcb&scope=openid+profile&state=af0ifjsldkj",
            to: "com.shop.app:/cb?error=invalid_scope&error_description=No&state=af0ifjsldkj"
        )
        let fix = try #require(Recording(capture.exchanges).finding("scope-rejected")).fix
        let own = ScopeRejected.info.fix
        #expect(words.isEmpty ? fix == own : fix.hasPrefix(own + " ") && fix.contains(words))
    }
}
