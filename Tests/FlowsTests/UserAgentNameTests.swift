import Flows
import Testing

struct UserAgentNameTests {
    @Test(arguments: [
        "Shop/4.2 CFNetwork/1568.200.51 Darwin/24.1.0", "okhttp/4.12.0",
        "Dalvik/2.1.0 (Linux; U; Android 14)",
        "Dart/3.5 (dart:io)", "Shop/5.1 (com.shop.app; build:12; iOS 18.5.0) Alamofire/5.9.1",
        "Shop/1.0 (iPhone; iOS 18.5; Scale/3.00)", "UnityPlayer/2022.3 (UnityWebRequest/1.0)",
    ])
    func appsAreKnown(agent: String) { #expect(UserAgentName.isNativeApp(agent)) }

    /// Runtimes of servers, whose names may have those of systems in them, and browsers.
    @Test(arguments: [
        "axios/1.7.2", "node", "Helios/2.0", "python-requests/2.32.3", "Apache-HttpClient/5.3 (Java/21)",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari/604.1",
    ])
    func othersAreNone(agent: String) { #expect(!UserAgentName.isNativeApp(agent)) }
}
