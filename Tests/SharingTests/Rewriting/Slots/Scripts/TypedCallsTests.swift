import TestSupport
import Testing

@testable import Sharing

/// What programs that drive a browser type into its fields.
struct TypedCallsTests {
    private static func told(_ text: String) -> [String] {
        Slot.told(TypedCalls.slots(in: Array(text.utf8)[...]), text)
    }

    @Test(arguments: [
        ("page.fill('#password', 'zem4K!')", ["password=zem4K!"]),
        ("await page.type(\"input[name=username]\", \"bolund\", {delay: 100})", ["username=bolund"]),
        ("page.getByLabel('Password').fill('zem4K!')", ["password=zem4K!"]),
        ("page.getByRole('textbox', { name: 'Password' }).pressSequentially(`zem4K!`)", ["password=zem4K!"]),
        ("cy.get('[data-test=login-password]').type('zem4K!{enter}')", ["password=zem4K!"]),
        ("cy.get('#password')\n  .should('be.visible')\n  .type('zem4K!')", ["password=zem4K!"]),
        ("driver.find_element(By.ID, \"password\").send_keys(\"zem4K!\")", ["password=zem4K!"]),
        ("driver.findElement(By.name(\"username\")).sendKeys(\"bolund\", Keys.TAB);", ["username=bolund"]),
        ("self.password_field.send_keys('zem4K!')", ["password=zem4K!"]),
        ("usernameInput.fill('bolund')", ["username=bolund"]),
        ("$('#password').setValue('zem4K!')", ["password=zem4K!"]),
        ("await userEvent.type(screen.getByLabelText('Password'), 'zem4K!')", ["password=zem4K!"]),
        ("page.fill('#given_name', 'Bo'); page.fill('#harbour', 'Bo')", ["given_name=Bo"]),
        // Other fields, variables, words for it, other statements, and what does not end.
        ("page.fill('#search', 'harbour')", []), ("page.fill('#password', process.env.PASSWORD)", []),
        ("page.fill('#password', `${password}`)", []), ("page.fill('#password', '<password>')", []),
        ("form.setValue('username', 'bolund')", []), ("ctx.fill('evenodd')", []),
        ("a('#password'); b.type('harbour')", []), ("cy.get('#password')\nb.type('harbour')", []),
        ("page.fill('#password', 'zem4K!", []), ("fill('zem4K!')", []), ("(", []), ("", []),
    ])
    func typedTextIsCalledByItsField(text: String, told: [String]) {
        #expect(Self.told(text) == told)
    }

    /// In a program as it is served, in a text, and in a page.
    @Test(arguments: ["application/javascript", "text/plain", "text/html"])
    func typedTextIsGone(type: String) throws {
        var world = try SharingWorld()
        let call = "await page.fill('#username', 'veldmuis');\nawait page.fill('#password', 'mead77owsx');\n"
        world.append(
            "https://app.shop.example/page",
            type: type,
            body: type == "text/html" ? "<pre>\(call)</pre>" : call
        )
        world.options.keepsAll = true
        let text = try world.shared().text
        #expect(!text.contains("veldmuis") && !text.contains("mead77owsx"))
        #expect(text.contains("await page.fill('#username', '"))
    }

    @Test func timeGrowsWithTheCalls() {
        func seconds(_ count: Int) -> Double {
            let text = Array(String(repeating: "fill('", count: count).utf8)
            return ProcessorTime.seconds { _ = TypedCalls.slots(in: text[...]) }
        }
        let small = seconds(1_000)
        // Sixteen times the text: linear is 16, quadratic 256.
        #expect(seconds(16_000) < 50 * max(small, 0.004))
    }
}
