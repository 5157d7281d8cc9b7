package import Captures

/// The names of the specifications for what some providers call otherwise.
///
/// The APIs of AWS IAM Identity Center (`aws sso login`) and of Firebase have the members of their JSON in camel case; TikTok calls a client `client_key`;
/// Salesforce's grant for devices is `device` and has the device's code as `code`; Amazon and clients of Entra's first endpoints call it `device_code`.
/// WeChat calls a client `appid` and its secret `secret`.
/// Each parameter keeps the place, and with it the name, under which it was sent.
package enum OtherNames {
    /// Whether a URL is one of an API that is spoken to in JSON, token requests included.
    package static func areOfJSON(at url: RecordedURL) -> Bool {
        isIdentityCenter(url) || isFirebase(url) || isShopify(url)
            || documentedInJSON.contains(url.host ?? "")
    }

    /// Whose documentation has both, in each shop.
    private static func isShopify(_ url: RecordedURL) -> Bool {
        url.path == "/admin/oauth/access_token" && (url.host ?? "").hasSuffix(".myshopify.com")
    }

    /// Notion, Atlassian, Feishu and Lark, whose documentation shows no form.
    private static let documentedInJSON: Set<String> = [
        "api.notion.com", "auth.atlassian.com", "open.feishu.cn", "open.larksuite.com",
    ]

    /// Parameters of a request to a URL under the names of the specifications; unchanged where the provider has those.
    package static func standard(_ parameters: Parameters, at url: RecordedURL) -> Parameters {
        if isIdentityCenter(url) || isFirebase(url) { return parameters.renamed { snakeCase($0) } }
        if isTikTok(url), !parameters.contains("client_id") {
            return parameters.renamed { $0 == "client_key" ? "client_id" : $0 }
        }
        if isWeChat(url), !parameters.contains("client_id") { return parameters.renamed(ofWeChat) }
        return deviceGrant(parameters, at: url)
    }

    private static func ofWeChat(_ name: String) -> String {
        switch name {
        case "appid": "client_id"
        case "secret": "client_secret"
        default: name
        }
    }

    private static func isWeChat(_ url: RecordedURL) -> Bool {
        ["open.weixin.qq.com", "api.weixin.qq.com"].contains(url.host ?? "")
    }

    private static func deviceGrant(_ parameters: Parameters, at url: RecordedURL) -> Parameters {
        guard let index = parameters.items.firstIndex(where: { $0.name == "grant_type" }) else {
            return parameters
        }
        let hasCode = parameters.contains("device_code")
        switch parameters.items[index].value {
        case "device" where !hasCode: break
        case "device_code" where isAmazon(url) || isEntra(url): break
        default: return parameters
        }
        var named = hasCode ? parameters : parameters.renamed { $0 == "code" ? "device_code" : $0 }
        named.items[index].value = GrantType.deviceCode
        return named
    }

    /// Login with Amazon, in its regions.
    private static func isAmazon(_ url: RecordedURL) -> Bool {
        (url.host ?? "").hasPrefix("api.amazon.") && url.path.asciiLowercased() == "/auth/o2/token"
    }

    /// The token endpoint, of whichever version: clients that were written for the first took its names along.
    private static func isEntra(_ url: RecordedURL) -> Bool {
        let host = url.host ?? ""
        return (host.hasPrefix("login.microsoftonline.") || host == "login.windows.net")
            && ["/oauth2/token", "/oauth2/v2.0/token"].contains(where: url.path.hasSuffix)
    }

    /// Whether clients register at a URL of AWS IAM Identity Center: everybody does there, before each login or once in 90 days, without
    /// naming how they authenticate or an address to be answered at.
    package static func isRegistration(at url: RecordedURL) -> Bool {
        isIdentityCenter(url) && url.path == "/client/register"
    }

    private static func isIdentityCenter(_ url: RecordedURL) -> Bool {
        url.host.map { $0.hasPrefix("oidc.") && AWSHost.isOne($0) } ?? false
    }

    /// The service that refreshes the tokens of Firebase and Google's Identity Platform, whose SDKs for phones ask in JSON.
    private static func isFirebase(_ url: RecordedURL) -> Bool { url.host == "securetoken.googleapis.com" }

    private static func isTikTok(_ url: RecordedURL) -> Bool {
        ["www.tiktok.com", "open.tiktokapis.com", "open-api.tiktok.com"].contains(url.host ?? "")
    }

    /// `deviceCode` as `device_code`.
    private static func snakeCase(_ name: String) -> String {
        guard name.utf8.contains(where: { (0x41...0x5a).contains($0) }) else { return name }
        return name.reduce(into: "") { text, character in
            if character.isUppercase, !text.isEmpty { text.append("_") }
            text.append(contentsOf: character.lowercased())
        }
    }
}

extension Parameters {
    fileprivate func renamed(_ name: (String) -> String) -> Parameters {
        Parameters(
            items.map { item in
                Parameter(
                    name: name(item.name),
                    value: item.value,
                    rawValue: item.rawValue,
                    place: item.place
                )
            }
        )
    }
}
