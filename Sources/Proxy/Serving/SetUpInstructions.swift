internal import Captures
internal import LibCrypto

/// What to do on each platform to trust the recorder's certificate and to use the proxy, and how to undo it.
struct SetUpInstructions {
    /// Where this client found the proxy.
    let proxy: Origin
    /// Where another device on the network finds it; nil while none can.
    let network: Origin?
    /// Whether clients have to give a user name and password.
    let asksForPassword: Bool
    /// By which the trust stores of Windows and macOS find a certificate.
    private let sha1: String

    init(proxy: Origin, network: Origin?, asksForPassword: Bool = false, certificate: Certificate) {
        self.proxy = proxy
        self.network = network
        sha1 = Hexadecimal.encode(Digest.of(certificate.der, .sha1), isUppercase: true)
        self.asksForPassword = asksForPassword
    }

    /// The instructions as the content of a section of the page.
    func html(for platform: ClientPlatform) -> String {
        switch platform {
        case .appleMobile: appleMobile
        case .simulator: simulator
        case .android: android
        case .macOS: macOS
        case .windows: windows
        case .debian: debian
        case .fedora: fedora
        case .firefox: firefox
        case .commandLine: commandLine
        case .java: java
        }
    }

    // MARK: Phones

    private var appleMobile: String {
        phoneReach
            + Self.steps(
                "Open this page in Safari on the device and tap <a href=\"/ca.mobileconfig\">the profile</a>; allow the download.",
                "Settings → Profile Downloaded (or General → VPN &amp; Device Management): install it.",
                "Settings → General → About → Certificate Trust Settings: switch on full trust for it. Without this step https stays closed.",
                "Settings → Wi-Fi → the (i) beside the network → Configure Proxy → Manual: server <code>\(phone.hostInURL)</code>, port <code>\(phone.port)</code>\(authentication).",
                "Open <code>http://authreel.proxy/</code>: it says whether all is well."
            )
            + Self.removal(
                "Configure Proxy → Off; then Settings → General → VPN &amp; Device Management → authreel → Remove Profile."
            )
    }

    private var simulator: String {
        Self.paragraph(
            "The simulator uses the proxy of the Mac it runs on (see macOS) and has a trust store of its own:"
        )
            + Self.command(
                fetchPEM,
                "xcrun simctl keychain booted add-root-cert authreel-ca.pem"
            )
            + Self.removal(
                "this empties the simulator's whole keychain:",
                command: "xcrun simctl keychain booted reset"
            )
    }

    private var android: String {
        phoneReach
            + Self.steps(
                "Download <a href=\"/ca.crt\">the certificate</a> on the device.",
                "Settings → Security &amp; privacy → More → Encryption &amp; credentials → Install a certificate → CA certificate (or search the settings for “CA certificate”): choose the downloaded file.",
                "Settings → Network → Wi-Fi → the network → Edit → Advanced → Proxy → Manual: host <code>\(phone.hostInURL)</code>, port <code>\(phone.port)</code>.",
                "Open <code>http://authreel.proxy/</code> in Chrome: it says whether all is well."
            )
            + unaskedApps
            + Self.paragraph(
                "Chrome accepts certificates installed this way. <strong>Apps that target Android 7 or later do not</strong>, unless their debug build says so, in <code>res/xml/network_security_config.xml</code>:"
            )
            + Self.command(
                "<network-security-config>",
                "  <debug-overrides>",
                "    <trust-anchors>",
                "      <certificates src=\"system\" />",
                "      <certificates src=\"user\" />",
                "    </trust-anchors>",
                "  </debug-overrides>",
                "</network-security-config>"
            )
            + Self.paragraph(
                "and in the manifest <code>&lt;application android:networkSecurityConfig=\"@xml/network_security_config\"&gt;</code>. Firefox: Settings → About, tap the logo five times, then Settings → Secret Settings → Use third party CA certificates."
            )
            + Self.paragraph("Over USB, and in an emulator, without Wi-Fi settings:")
            + Self.command(
                "adb reverse tcp:\(proxy.port) tcp:\(proxy.port)",
                "adb shell settings put global http_proxy 127.0.0.1:\(proxy.port)",
                "curl -o authreel-ca.crt http://\(proxy)/ca.crt",
                "adb push authreel-ca.crt /sdcard/Download/"
            )
            + Self.paragraph("A new emulator can be told at its start:")
            + Self.command("emulator -avd NAME -http-proxy http://\(proxy)")
            + Self.removal(
                "Settings → Encryption &amp; credentials → User credentials (or Trusted credentials → User) → authreel → Remove, proxy → None, and after <code>adb</code>:",
                command: "adb shell settings put global http_proxy :0",
                "adb reverse --remove tcp:\(proxy.port)"
            )
    }

    private var authentication: String {
        asksForPassword ? ", Authentication on, with the user name and password" : ""
    }

    /// Android's settings have no place for what the proxy asks for.
    private var unaskedApps: String {
        guard asksForPassword else { return "" }
        return Self.paragraph(
            "Chrome asks for the user name and password. <strong>Apps have no way to be told them</strong>: the proxy refuses them with status 407. To record an app, let the recorder run without <code>--proxy-auth</code> and connect the device over USB, as below."
        )
    }

    /// The address for a phone to use; where it cannot reach us, the one to be read in its place.
    private var phone: Origin { network ?? proxy }

    private var phoneReach: String {
        guard network == nil else { return "" }
        return Self.paragraph(
            "<strong>No phone can reach this recorder as it runs now</strong>: it listens on loopback only. See “A phone” on this page; by <code>adb reverse</code> an Android phone can."
        )
    }

    // MARK: Systems

    private var macOS: String {
        Self.command(
            fetchPEM,
            "security add-trusted-cert -r trustRoot \\",
            "  -k ~/Library/Keychains/login.keychain-db authreel-ca.pem",
            "networksetup -setwebproxy Wi-Fi \(proxy.host) \(proxy.port)",
            "networksetup -setsecurewebproxy Wi-Fi \(proxy.host) \(proxy.port)"
        )
            + Self.paragraph(
                "Safari, Chrome and what else uses the system's trust then do. Put your network service's name in place of <code>Wi-Fi</code>. A browser can have the proxy alone:"
            )
            + Self.command(
                "open -na \"Google Chrome\" --args --user-data-dir=/tmp/authreel-profile \\",
                "  --proxy-server=\(proxy) --proxy-bypass-list='<-loopback>'"
            )
            + Self.removal(
                command: "networksetup -setwebproxystate Wi-Fi off",
                "networksetup -setsecurewebproxystate Wi-Fi off",
                "security remove-trusted-cert authreel-ca.pem",
                "security delete-certificate -Z \(sha1) \\",
                "  ~/Library/Keychains/login.keychain-db"
            )
    }

    private var windows: String {
        Self.paragraph("In a command prompt or PowerShell, for your user alone:")
            + Self.command(
                "curl.exe -o authreel-ca.crt http://\(proxy)/ca.crt",
                "certutil -user -addstore Root authreel-ca.crt"
            )
            + Self.paragraph(
                "Proxy: Settings → Network &amp; internet → Proxy → Manual proxy setup: address <code>\(proxy.hostInURL)</code>, port <code>\(proxy.port)</code>. Edge and Chrome follow both; in a command prompt a browser can be given the proxy alone:"
            )
            + Self.command(
                "start msedge --user-data-dir=%TEMP%\\authreel-profile ^",
                "  --proxy-server=\(proxy) --proxy-bypass-list=\"<-loopback>\""
            )
            + Self.paragraph(
                "<code>curl.exe</code> itself also needs <code>--ssl-no-revoke</code>: it looks for a revocation list, and this certificate has none."
            )
            + Self.removal(
                "switch the manual proxy off, and:",
                command: "certutil -user -delstore Root \(sha1)"
            )
    }

    private var debian: String {
        Self.command(
            fetchPEM,
            "sudo cp authreel-ca.pem /usr/local/share/ca-certificates/authreel.crt",
            "sudo update-ca-certificates"
        ) + chromium
            + Self.removal(
                command: "sudo rm /usr/local/share/ca-certificates/authreel.crt",
                "sudo update-ca-certificates --fresh",
                "certutil -d sql:$HOME/.pki/nssdb -D -n authreel"
            )
    }

    private var fedora: String {
        Self.command(fetchPEM, "sudo trust anchor --store authreel-ca.pem") + chromium
            + Self.removal(
                command: "sudo trust anchor --remove authreel-ca.pem",
                "certutil -d sql:$HOME/.pki/nssdb -D -n authreel"
            )
    }

    /// On Linux it reads neither the system's store nor, everywhere, the system's proxy.
    private var chromium: String {
        Self.paragraph(
            "Chromium and Chrome have a store of their own (<code>certutil</code> is in libnss3-tools or nss-tools):"
        )
            + Self.command(
                "mkdir -p $HOME/.pki/nssdb",
                "certutil -d sql:$HOME/.pki/nssdb -A -t C,, -n authreel -i authreel-ca.pem",
                "chromium --user-data-dir=/tmp/authreel-profile \\",
                "  --proxy-server=\(proxy) --proxy-bypass-list='<-loopback>'"
            )
    }

    private var firefox: String {
        Self.steps(
            "Download <a href=\"/ca.crt\">the certificate</a>.",
            "Settings → Privacy &amp; Security → Certificates → View Certificates → Authorities → Import: choose it, and “Trust this CA to identify websites”.",
            "Settings → General → Network Settings → Manual proxy configuration: HTTP Proxy <code>\(proxy.hostInURL)</code>, port <code>\(proxy.port)</code>, also for HTTPS.",
            "For logins that come back to <code>localhost</code>: in <code>about:config</code> set <code>network.proxy.allow_hijacking_localhost</code> to true."
        )
            + Self.removal(
                "View Certificates → Authorities → authreel → Delete or Distrust; Network Settings → as it was."
            )
    }

    // MARK: Runtimes

    private var commandLine: String {
        Self.command(
            fetchPEM,
            "curl --proxy \(proxyURL) --cacert authreel-ca.pem https://idp.example/"
        )
            + Self.paragraph("For what is started from this shell:")
            + Self.command(
                "export HTTP_PROXY=\(proxyURL) HTTPS_PROXY=\(proxyURL) NO_PROXY=",
                "export http_proxy=\(proxyURL) https_proxy=\(proxyURL) no_proxy=",
                "export NODE_EXTRA_CA_CERTS=$PWD/authreel-ca.pem NODE_USE_ENV_PROXY=1  # Node 22.21, 24; axios: without the second",
                "export SSL_CERT_FILE=$PWD/authreel-ca.pem       # OpenSSL: Python, Ruby, .NET on Linux; Go",
                "export REQUESTS_CA_BUNDLE=$PWD/authreel-ca.pem  # Python's requests",
                "export CURL_CA_BUNDLE=$PWD/authreel-ca.pem      # curl"
            )
            + Self.removal(
                "close the shell, or:",
                command: "unset HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy",
                "unset NODE_EXTRA_CA_CERTS NODE_USE_ENV_PROXY SSL_CERT_FILE REQUESTS_CA_BUNDLE CURL_CA_BUNDLE",
                "rm authreel-ca.pem"
            )
    }

    private var java: String {
        Self.command(
            fetchPEM,
            "cp \"$JAVA_HOME/lib/security/cacerts\" authreel.jks",
            "keytool -importcert -noprompt -alias authreel \\",
            "  -file authreel-ca.pem -keystore authreel.jks -storepass changeit",
            "export JAVA_TOOL_OPTIONS=\"-Djavax.net.ssl.trustStore=$PWD/authreel.jks \\",
            "  -Djavax.net.ssl.trustStorePassword=changeit -Dhttp.nonProxyHosts= \\",
            "  -Dhttp.proxyHost=\(proxy.host) -Dhttp.proxyPort=\(proxy.port) \\",
            "  -Dhttps.proxyHost=\(proxy.host) -Dhttps.proxyPort=\(proxy.port)\""
        )
            + Self.paragraph("A copy of the trust store is changed, not the one of the Java installation.")
            + Self.removal(command: "unset JAVA_TOOL_OPTIONS", "rm authreel.jks authreel-ca.pem")
    }

    /// Whoever copies a line sees where the password goes.
    private var proxyURL: String { "http://\(asksForPassword ? "USER:PASSWORD@" : "")\(proxy)" }

    private var fetchPEM: String { "curl -o authreel-ca.pem http://\(proxy)/ca.pem" }

    // MARK: HTML

    static func paragraph(_ html: String) -> String { "<p>\(html)</p>\n" }

    static func steps(_ steps: String...) -> String {
        "<ol>" + steps.map { "<li>\($0)</li>\n" }.joined() + "</ol>\n"
    }

    /// Lines to copy; escaped here.
    static func command(_ lines: String...) -> String { block(lines) }

    private static func block(_ lines: [String]) -> String {
        "<pre><code>" + HTMLText.escaped(lines.joined(separator: "\n")) + "</code></pre>\n"
    }

    private static func removal(_ html: String = "", command: String...) -> String {
        "<p><strong>To remove it again:</strong> \(html)</p>\n" + (command.isEmpty ? "" : block(command))
    }
}
