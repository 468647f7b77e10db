"""Research: asks the web, and checks what pages say of it. Stages stand side by side and pass values of the model."""
