import Testing

@testable import Sharing

/// Codes that somebody is shown, and numbers that are none.
struct ShownCodesTests {
    struct Row: CustomTestStringConvertible, Sendable {
        var text: String
        var codes: [String]
        var testDescription: String { text }
    }

    static let rows = [
        Row(text: "Your verification code is 482913.", codes: ["482913"]),
        Row(text: "<p>Your login code:</p>\n<b>48291377</b>", codes: ["48291377"]),
        Row(text: "482913 is your Example code", codes: ["482913"]),
        Row(text: "Your security code is <b>G-482913</b>", codes: ["G-482913"]),
        Row(text: "Your verification code: 482 913. Do not share it.", codes: ["482 913"]),
        Row(text: "Your login code is <b>482</b> <b>913</b>", codes: ["482</b> <b>913"]),
        Row(text: "482-913 is your Example code", codes: ["482-913"]),
        Row(text: "Your access code 2024-2025", codes: []),
        Row(
            text: "<h1>Recovery Authentication Codes</h1><ol><li><span>1:</span> A7K2-9QPX-TR4M</li>"
                + "<li><span>2:</span> B8L3-8WQZ-HN5V</li></ol>",
            codes: ["A7K2-9QPX-TR4M", "B8L3-8WQZ-HN5V"]
        ),
        Row(text: "Your code is 482, 913 were sent", codes: []),
        Row(text: "Error code: 700016, see your administrator", codes: []),
        Row(text: "Your request failed with error code 700016", codes: []),
        Row(text: "status code 482913", codes: []),
        Row(text: "Your code is 482913abc", codes: []),
        Row(text: "Your OTP is 482913. Do not share it.", codes: ["482913"]),
        Row(text: "otp=482913", codes: ["482913"]),
        Row(text: "482913 is your one-time password", codes: ["482913"]),
        Row(text: "Your One-Time Password: 482913", codes: ["482913"]),
        Row(text: "731904 ist Ihr Einmalpasswort", codes: ["731904"]),
        // Typed on another device, and errors in the place of one.
        Row(text: "Your user code is WDJB-MJHT", codes: ["WDJB-MJHT"]),
        Row(text: "Enter this code on your device: <b>WDJBMJHT</b>", codes: ["WDJBMJHT"]),
        Row(text: "open https://id.example/device and enter the code G7HJ2KLM9 to", codes: ["G7HJ2KLM9"]),
        Row(text: "! First copy your one-time code: 8F43-6FCF\n- Press Enter", codes: ["8F43-6FCF"]),
        Row(text: "Gib den Code BCDF-GHJK ein", codes: ["BCDF-GHJK"]),
        Row(text: "Pairing code: 123-456", codes: ["123-456"]),
        Row(text: "Activation code: 7Q2-K9P", codes: ["7Q2-K9P"]),
        Row(text: "Your sign-in failed. Code: IDX10214", codes: []),
        Row(text: "Enter the code. Error code IDX10214", codes: []),
        Row(text: "Your user code is EXPIRED", codes: []), Row(text: "Enter the code UTF-8", codes: []),
        Row(text: "Code: AADSTS50011", codes: []), Row(text: "device code ", codes: []),
        Row(text: "Use code 482913 to sign in", codes: ["482913"]),
        Row(text: "Use 482 913 as your verification code", codes: ["482 913"]),
        Row(
            text:
                "Your code:</p><td style=\"font-size:36px;padding:12px 20px;font-family:Helvetica\">482913</td>",
            codes: ["482913"]
        ),
        Row(text: "Ihr Bestätigungscode lautet: 731904", codes: ["731904"]),
        Row(text: "731904 ist Ihr Anmeldecode", codes: ["731904"]),
        Row(text: "Votre code de vérification est 550193", codes: ["550193"]),
        Row(text: "Tu código de verificación es 550194", codes: ["550194"]),
        Row(text: "Il codice di verifica è 550195", codes: ["550195"]),
        Row(text: "認証コード: 550196", codes: ["550196"]), Row(text: "您的验证码是550197，5分钟内有效", codes: ["550197"]),
        Row(text: "Код подтверждения: 550198", codes: ["550198"]),
        Row(text: "Fehlercode 700016", codes: []), Row(text: "código de error 700016", codes: []),
        Row(text: "code postal 750201", codes: []), Row(text: "Код ошибки: 700016", codes: []),
        Row(text: "Ошибка входа: код 700016", codes: []), Row(text: "验证码错误 700016", codes: []),
        Row(text: "cause code 700016", codes: []), Row(text: "button code: 20260101", codes: []),
        Row(text: "(Use code 550199)", codes: ["550199"]),
        Row(text: "Use 550199 to sign in to Shop.", codes: ["550199"]),
        Row(text: "Please enter 550 199 to verify", codes: ["550 199"]),
        Row(text: "Use 20260101 to test", codes: []), Row(text: "reuse 550199 to sign in", codes: []),
        Row(text: "Use 550199", codes: []), Row(text: "Use ", codes: []),
        // Swedish, Norwegian, Danish, Finnish, Czech, Hungarian, Turkish, Romanian.
        Row(text: "Din verifieringskod är 550201", codes: ["550201"]),
        Row(text: "Engangskoden din er 550201", codes: ["550201"]),
        Row(text: "Din bekræftelseskode er 550201", codes: ["550201"]),
        Row(text: "Vahvistuskoodisi on 550201", codes: ["550201"]),
        Row(text: "Váš ověřovací kód je 550201", codes: ["550201"]),
        Row(text: "Az Ön ellenőrző kódja: 550201", codes: ["550201"]),
        Row(text: "Doğrulama kodunuz: 550201", codes: ["550201"]),
        Row(text: "Codul tău de verificare este 550201", codes: ["550201"]),
        // Greek, Vietnamese, Indonesian, Korean, Arabic, Hebrew, Hindi, French.
        Row(text: "Ο κωδικός επαλήθευσης είναι 550201", codes: ["550201"]),
        Row(text: "Mã xác thực của bạn là 550201", codes: ["550201"]),
        Row(text: "Kode verifikasi Anda adalah 550201", codes: ["550201"]),
        Row(text: "인증번호는 [550201] 입니다", codes: ["550201"]),
        Row(text: "رمز التحقق الخاص بك هو 550201", codes: ["550201"]),
        Row(text: "קוד האימות שלך הוא 550201", codes: ["550201"]),
        Row(text: "आपका सत्यापन कोड 550201 है", codes: ["550201"]),
        Row(text: "Saisissez le code 550201 pour vous connecter", codes: ["550201"]),
        // Those of errors.
        Row(text: "Login failed with code 700016", codes: []),
        Row(text: "authentication failed (code 700016)", codes: []),
        Row(text: "your version code 202601", codes: []), Row(text: "access code on 20260325", codes: []),
        Row(text: "Login failed. Your new code is 550201", codes: ["550201"]),
        Row(text: "Inloggning misslyckades, statuskod 700016", codes: []),
        Row(text: "Kirjautumisvirhe, virhekoodi 700016", codes: []),
        Row(text: "Ověřovací služba: chybový kód 700016", codes: []),
        Row(text: "Doğrulama başarısız, hata kodu: 700016", codes: []),
        Row(text: "Ο κωδικός σφάλματος είναι 700016", codes: []),
        Row(text: "Codul erorii este 700016", codes: []), Row(text: "le code 700016", codes: []),
        Row(text: "रमज़ कोड 700016", codes: []), Row(text: "رمز الخطأ 700016", codes: []),
        Row(text: "TOTP 700016, otp_length=20260101", codes: []),
        Row(
            text: "<h1>Recovery codes</h1><ul><li>qwmzrtlk</li><li>plvbxndh</li></ul>",
            codes: ["qwmzrtlk", "plvbxndh"]
        ),
        Row(text: "Backup codes\n\nk4tz-9wqp\nh2mn-7rvd\n", codes: ["k4tz-9wqp", "h2mn-7rvd"]),
        Row(text: "{\"recovery_codes\":[\"8372 1938\",\"5529 0147\"]}", codes: ["8372 1938", "5529 0147"]),
        Row(
            text:
                "Backup codes<div>1.&nbsp;4821 7730</div><div>2.\u{a0}9027 1183</div><div>10) 5538 2019</div>",
            codes: ["4821 7730", "9027 1183", "5538 2019"]
        ),
        Row(text: "Backup codes: 1. 2026-03-05, 2. 2026-03-06", codes: []),
        Row(
            text: "Your recovery key: <code>orbit-lemon-trapeze-gondola</code>",
            codes: ["orbit-lemon-trapeze-gondola"]
        ),
        Row(text: "Your sign-in\n@shop.example #550201", codes: ["550201"]),
        Row(text: "colour #550201, mail@shop #550202, @ #550203", codes: []),
        // German, French, Spanish, Italian.
        Row(
            text: "<h1>Wiederherstellungscodes</h1><ul><li>qwmzrtlk</li><li>plvbxndh</li></ul>",
            codes: ["qwmzrtlk", "plvbxndh"]
        ),
        Row(text: "SAVE YOUR BACKUP CODES\n\nk4tz-9wqp\nh2mn-7rvd", codes: ["k4tz-9wqp", "h2mn-7rvd"]),
        Row(text: "Backup verification codes|k4tz-9wqp|h2mn-7rvd", codes: ["k4tz-9wqp", "h2mn-7rvd"]),
        Row(text: "Ihre Notfallcodes\nk4tz-9wqp\nh2mn-7rvd", codes: ["k4tz-9wqp", "h2mn-7rvd"]),
        Row(text: "Vos codes de secours :<li>8372 1938<li>5529 0147", codes: ["8372 1938", "5529 0147"]),
        Row(
            text: "<b>Códigos de recuperación</b><i>k4tz-9wqp</i><i>h2mn-7rvd</i>",
            codes: ["k4tz-9wqp", "h2mn-7rvd"]
        ),
        Row(text: "Codici di backup|k4tz9wqp|h2mn7rvd", codes: ["k4tz9wqp", "h2mn7rvd"]),
        // Polish, Czech, Slovak, Finnish, Turkish, Hungarian, Romanian.
        Row(text: "Kody zapasowe\nqwmzrtlk\nplvbxndh", codes: ["qwmzrtlk", "plvbxndh"]),
        Row(text: "Zapasowe kody: k4tz-9wqp, h2mn-7rvd", codes: ["k4tz-9wqp", "h2mn-7rvd"]),
        Row(text: "Kody odzyskiwania|k4tz9wqp|h2mn7rvd", codes: ["k4tz9wqp", "h2mn7rvd"]),
        Row(text: "Záložní kódy\nk4tz-9wqp\nh2mn-7rvd", codes: ["k4tz-9wqp", "h2mn-7rvd"]),
        Row(text: "Kódy pro obnovení<li>k4tz-9wqp<li>h2mn-7rvd", codes: ["k4tz-9wqp", "h2mn-7rvd"]),
        Row(text: "Kódy na obnovenie\nk4tz-9wqp\nh2mn-7rvd", codes: ["k4tz-9wqp", "h2mn-7rvd"]),
        Row(text: "Varakoodit\nk4tz-9wqp\nh2mn-7rvd", codes: ["k4tz-9wqp", "h2mn-7rvd"]),
        Row(text: "Palautuskoodisi:\nk4tz-9wqp\nh2mn-7rvd", codes: ["k4tz-9wqp", "h2mn-7rvd"]),
        Row(text: "Kurtarma Kodları\nk4tz-9wqp\nh2mn-7rvd", codes: ["k4tz-9wqp", "h2mn-7rvd"]),
        Row(text: "Yedek kodlarınız\nk4tz-9wqp\nh2mn-7rvd", codes: ["k4tz-9wqp", "h2mn-7rvd"]),
        Row(text: "Tartalék kódok\nk4tz-9wqp\nh2mn-7rvd", codes: ["k4tz-9wqp", "h2mn-7rvd"]),
        Row(text: "Coduri de rezervă\nk4tz-9wqp\nh2mn-7rvd", codes: ["k4tz-9wqp", "h2mn-7rvd"]),
        // Russian, Ukrainian, Greek, Japanese, Chinese, Korean.
        Row(text: "Резервные коды\nk4tz-9wqp\nh2mn-7rvd", codes: ["k4tz-9wqp", "h2mn-7rvd"]),
        Row(text: "РЕЗЕРВНЫЕ КОДЫ\nk4tz-9wqp\nh2mn-7rvd", codes: ["k4tz-9wqp", "h2mn-7rvd"]),
        Row(text: "КОДИ ВІДНОВЛЕННЯ\nk4tz-9wqp\nh2mn-7rvd", codes: ["k4tz-9wqp", "h2mn-7rvd"]),
        Row(text: "Коды восстановления\nk4tz-9wqp\nh2mn-7rvd", codes: ["k4tz-9wqp", "h2mn-7rvd"]),
        Row(text: "Коди відновлення\nk4tz-9wqp\nh2mn-7rvd", codes: ["k4tz-9wqp", "h2mn-7rvd"]),
        Row(text: "Εφεδρικοί κωδικοί\nk4tz-9wqp\nh2mn-7rvd", codes: ["k4tz-9wqp", "h2mn-7rvd"]),
        Row(text: "バックアップ コード\nk4tz-9wqp\nh2mn-7rvd", codes: ["k4tz-9wqp", "h2mn-7rvd"]),
        Row(text: "回復コード<li>k4tz-9wqp<li>h2mn-7rvd", codes: ["k4tz-9wqp", "h2mn-7rvd"]),
        Row(text: "备份代码\nk4tz-9wqp\nh2mn-7rvd", codes: ["k4tz-9wqp", "h2mn-7rvd"]),
        Row(text: "備用碼\nk4tz-9wqp\nh2mn-7rvd", codes: ["k4tz-9wqp", "h2mn-7rvd"]),
        Row(text: "백업 코드\nk4tz-9wqp\nh2mn-7rvd", codes: ["k4tz-9wqp", "h2mn-7rvd"]),
        Row(text: "恢复密码\nk4tz-9wqp\nh2mn-7rvd", codes: []),
        Row(text: "Методы\nk4tz-9wqp\nh2mn-7rvd, kody pocztowe 8372-1938", codes: []),
        // In two columns, with numbers before them or not.
        Row(
            text: "Backup codes\n 1. 4821 7730    6. 9027 1183\n 2. 5538 2019    7. 1192 7340\n",
            codes: ["4821 7730", "9027 1183", "5538 2019", "1192 7340"]
        ),
        Row(
            text: "Backup codes\n1\tk4tz-9wqp\t3\tx9pb-3fjt\n2)\th2mn-7rvd\t4\tm8kd-2zrw\n",
            codes: ["k4tz-9wqp", "x9pb-3fjt", "h2mn-7rvd", "m8kd-2zrw"]
        ),
        Row(
            text: "Recovery codes:\nk4tz-9wqp h2mn-7rvd\nx9pb-3fjt  m8kd-2zrw\n",
            codes: ["k4tz-9wqp", "h2mn-7rvd", "x9pb-3fjt", "m8kd-2zrw"]
        ),
        // As ForgeRock AM's page has them, in a script that is escaped or not.
        Row(
            text: "<h3>Your Recovery Codes</h3>\n<p>Copy these recovery codes.</p>\nyQNvdQOJxV\nrT5mZq08Lw\n",
            codes: ["yQNvdQOJxV", "rT5mZq08Lw"]
        ),
        Row(text: #"Recovery Codes</h3>\nyQNvdQOJ4V\nrT5mZq08Lw\n"#, codes: ["yQNvdQOJ4V", "rT5mZq08Lw"]),
        // Words, names of messages, days.
        Row(text: "codes de la page<li>8372 1938<li>5529 0147", codes: []),
        Row(text: "recovery code: getUserName, nextSection, hasFurther", codes: []),
        Row(text: #""recovery codes":["getUserName","setUserName","hasMoreTo"]"#, codes: []),
        Row(text: "<li>Recovery codes</li><li>settings</li><li>security</li>", codes: []),
        Row(text: "{\"mfa-recovery-code-challenge\":\"mfa-otp-enrollment-qr\"}", codes: []),
        Row(text: "recovery codes, made on <td>2026-03-05</td><td>2026-03-06</td>", codes: []),
        Row(text: "Keep your recovery codes in a safe place.", codes: []),
    ]

    @Test(arguments: rows)
    func codesAreTold(row: Row) {
        let text = Array(row.text.utf8)
        #expect(ShownCodes.ranges(in: text).map { String(decoding: text[$0], as: UTF8.self) } == row.codes)
    }

    @Test(arguments: ["recovery code your code is ", "your code <", "your code<b>", "code de "])
    func timeIsLinear(piece: String) {
        let text = Array(String(repeating: piece, count: 20_000).utf8)
        let clock = ContinuousClock()
        #expect(clock.measure { _ = ShownCodes.ranges(in: text) } < .seconds(30))
    }
}
